"use strict";
// Draws what the planner has decided; nothing is planned here. Texts go in as text, never as mark-up.
const content = JSON.parse(document.getElementById("content").textContent);
const byId = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en-US");
const PAGE = 100;
const dark = matchMedia("(prefers-color-scheme: dark)");
// Okabe and Ito's colours, which differ for every kind of colour vision.
const HUES = { system: "#b58a00", human: "#009e73", assistant: "#0072b2", call: "#cc79a7",
  result: "#56b4e9", reasoning: "#d55e00" };
const units = [];
content.messages.forEach(([, unit], index) => {
  const last = units[units.length - 1];
  if (last && last.unit === unit && unit >= 0) last.messages.push(index);
  else units.push({ unit, messages: [index] });
});
let at = content.start, first = 0, codes = [];
const opened = new Set();

function codesAt(place) {
  const position = content.positions[place];
  if (position.error) return content.messages.map(() => -1);
  return position.runs.flatMap(([code, count]) => Array(count).fill(code));
}
const stateOf = (index) => (codes[index] < 0 ? "dropped" : content.codes[codes[index]][0]);
const reasonsOf = (index) => (codes[index] < 0 ? ["does not fit"] : content.codes[codes[index]].slice(1));
function after(index) {
  const given = (content.positions[at].after || {})[index];
  if (given !== undefined) return given;
  return ["dropped", "summarised"].includes(stateOf(index)) ? 0 : content.messages[index][2];
}

function fill(context, x, y, width, height, role, state) {
  const hue = HUES[role] || "#777777";
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.fillStyle = dark.matches ? "#161617" : "#ffffff";
  context.fillRect(x, y, width, height);
  context.fillStyle = context.strokeStyle = hue;
  context.lineWidth = 2;
  if (state === "kept") context.fillRect(x, y, width, height);
  else if (state === "dropped") {
    context.fillRect(x, y + height * 0.86, width, height * 0.14);
  } else {
    const step = state === "summarised" ? 12 : 7, rising = state === "cleared" || state === "changed";
    context.globalAlpha = 0.9;
    for (let line = x - height; line < x + width + height; line += step) {
      context.beginPath();
      context.moveTo(line, rising ? y + height : y);
      context.lineTo(line + height, rising ? y : y + height);
      context.stroke();
    }
    if (state === "changed" || state === "excerpted") context.fillRect(x, y, width, height / 3);
  }
  context.restore();
}

function draw() {
  const canvas = byId("strip"), ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  const total = content.messages.reduce((sum, message) => sum + message[2], 0) || 1;
  let done = 0, run = null;
  const flush = () => run && fill(context, run.from, 0, Math.max(run.to - run.from, 0.5), height, run.role, run.state);
  content.messages.forEach(([role, , before, thought], index) => {
    for (const [kind, tokens] of [["reasoning", thought], [role, before - thought]]) {
      if (!tokens) continue;
      const from = (done / total) * width, state = stateOf(index);
      done += tokens;
      const to = (done / total) * width;
      if (run && run.role === kind && run.state === state) run.to = to;
      else { flush(); run = { role: kind, state, from, to }; }
    }
  });
  flush();
  const counts = {};
  content.messages.forEach((_, index) => { counts[stateOf(index)] = (counts[stateOf(index)] || 0) + 1; });
  const told = Object.entries(counts).map(([state, count]) => `${number(count)} ${state}`).join(", ");
  canvas.setAttribute("aria-label", `The history as a strip, in proportion to tokens: ${told}`);
}

function legend() {
  const list = byId("legend");
  list.replaceChildren();
  for (const [role, state, name] of [...content.roles.map((role) => [role, "kept", role]),
    ...content.states.map((state) => ["any", state, state])]) {
    const item = document.createElement("li"), canvas = document.createElement("canvas");
    canvas.width = 36;
    canvas.height = 28;
    canvas.setAttribute("aria-hidden", "true");
    fill(canvas.getContext("2d"), 0, 0, 36, 28, role, state);
    item.append(canvas, name);
    list.append(item);
  }
}

function text(kind, words, name) {
  const made = document.createElement(kind);
  if (name) made.className = name;
  made.textContent = words;
  return made;
}

function wanted() {
  const only = byId("only").value;
  return only ? units.filter((unit) => unit.messages.some((index) => stateOf(index) === only)) : units;
}

function list() {
  const found = wanted(), holder = byId("units");
  first = Math.min(first, Math.max(0, Math.floor((found.length - 1) / PAGE) * PAGE));
  const shown = found.slice(first, first + PAGE);
  holder.setAttribute("start", first + 1);
  holder.replaceChildren(...shown.map(row));
  byId("where").textContent = found.length
    ? `${number(first + 1)} to ${number(first + shown.length)} of ${number(found.length)} units` : "none";
  byId("back").disabled = first === 0;
  byId("on").disabled = first + PAGE >= found.length;
}

function row(unit) {
  const item = document.createElement("li"), button = document.createElement("button");
  button.type = "button";
  const ends = [unit.messages[0], unit.messages[unit.messages.length - 1]];
  const states = [...new Set(unit.messages.map(stateOf))], roles = [...new Set(unit.messages.map((i) => content.messages[i][0]))];
  const before = unit.messages.reduce((sum, i) => sum + content.messages[i][2], 0);
  const left = unit.messages.reduce((sum, i) => sum + after(i), 0);
  button.append(
    text("span", ends[0] === ends[1] ? `message ${ends[0]}` : `${ends[0]} to ${ends[1]}`),
    text("span", roles.join(", ")),
    text("span", left === before ? number(before) : `${number(before)} → ${number(left)}`),
    text("span", states.join(", ")));
  const key = unit.messages[0];
  const show = (open) => {
    button.setAttribute("aria-expanded", String(open));
    if (item.lastChild !== button) item.lastChild.remove();
    if (open) item.append(inside(unit));
  };
  button.addEventListener("click", () => {
    opened.has(key) ? opened.delete(key) : opened.add(key);
    show(opened.has(key));
  });
  item.append(button);
  show(opened.has(key));
  return item;
}

function inside(unit) {
  const made = document.createElement("div");
  made.className = "inside";
  for (const index of unit.messages) {
    const [role, , before, , words] = content.messages[index];
    made.append(
      text("p", `Message ${index}, ${role}: ${stateOf(index)} (${reasonsOf(index).join(", ")}), ${number(before)} tokens before, ${number(after(index))} after`),
      text("pre", words || "(no text)"));
  }
  return made;
}

function show() {
  const position = content.positions[at];
  codes = codesAt(at);
  const told = position.error ? `${number(position.budget)}: ${position.error}`
    : `${number(position.budget)} tokens, ${number(position.used)} used`;
  byId("told").textContent = told;
  byId("budget").setAttribute("aria-valuetext", told);
  byId("said").replaceChildren(...(position.said || [position.error]).map((line) => text("p", line)));
  draw();
  list();
}

byId("budget").max = content.positions.length - 1;
byId("budget").value = at;
byId("budget").addEventListener("input", (event) => { at = Number(event.target.value); show(); });
byId("only").addEventListener("change", () => { first = 0; list(); });
byId("back").addEventListener("click", () => { first = Math.max(0, first - PAGE); list(); });
byId("on").addEventListener("click", () => { first += PAGE; list(); });
byId("strip").addEventListener("click", (event) => {
  const total = content.messages.reduce((sum, message) => sum + message[2], 0);
  let left = (event.offsetX / byId("strip").clientWidth) * total;
  const index = content.messages.findIndex((message) => (left -= message[2]) <= 0);
  const found = wanted(), place = found.findIndex((unit) => unit.messages.includes(index));
  if (place < 0) return;
  first = Math.floor(place / PAGE) * PAGE;
  opened.add(found[place].messages[0]);
  list();
  byId("units").children[place - first].querySelector("button").focus();
});
addEventListener("resize", draw);
dark.addEventListener("change", () => { legend(); draw(); });
legend();
show();
