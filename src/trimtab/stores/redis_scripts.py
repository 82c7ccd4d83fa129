"""What Redis runs at once, in Lua. All keys of a store have one hash tag, so one slot.

KEYS: ``age`` (sorted set, key by time of creation), ``expiry`` (sorted set, key by time of
expiry), ``sizes`` (hash, bytes by key), ``total`` (their sum). ARGV 1 is the prefix of
records (a hash each), 2 the prefix of claims, 3 the time, or empty for the server's own.
Numbers go as text with 17 digits, for Lua's own way to write them has 14.
"""

from __future__ import annotations

from typing import Final

_PRELUDE: Final = """
local age, expiry, sizes, total = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local records, claims, now, native = ARGV[1], ARGV[2], ARGV[3], false
if now == '' then
  local time = redis.call('TIME')
  now, native = time[1] .. '.' .. string.format('%06d', time[2]), true
end
local function after(seconds) return string.format('%.17g', tonumber(now) + tonumber(seconds)) end
local function vanish(name, at)
  if native then
    redis.call('PEXPIREAT', name, string.format('%.0f', math.ceil(tonumber(at) * 1000)))
  end
end
local function live(key, fields)
  local found = redis.call('HMGET', records .. key, 'created', 'expires', unpack(fields))
  if not found[1] then return false end
  if found[2] ~= '' and tonumber(found[2]) <= tonumber(now) then return false end
  return found
end
local function forget(key)
  redis.call('DEL', records .. key)
  redis.call('ZREM', age, key)
  redis.call('ZREM', expiry, key)
  local size = redis.call('HGET', sizes, key)
  if size then
    redis.call('HDEL', sizes, key)
    redis.call('DECRBY', total, size)
  end
end
"""

GET: Final = (
    _PRELUDE
    + """
return live(ARGV[4], {'value'})
"""
)

PUT: Final = (
    _PRELUDE
    + """
local key, value, ttl, size = ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local found = live(key, {'value'})
if found then return found end
-- A server without memory refuses only a script's first write, which must not be a removal.
if redis.call('HEXISTS', sizes, key) == 1 then forget(key) end
local expires = ''
if ttl ~= '' then expires = after(ttl) end
redis.call('HSET', records .. key, 'value', value, 'created', now, 'expires', expires)
redis.call('ZADD', age, now, key)
if expires ~= '' then
  redis.call('ZADD', expiry, expires, key)
  vanish(records .. key, expires)
end
redis.call('HSET', sizes, key, size)
redis.call('INCRBY', total, size)
return {now, expires, false}
"""
)

CLAIM: Final = (
    _PRELUDE
    + """
local key, holder, seconds = ARGV[4], ARGV[5], ARGV[6]
if live(key, {}) then return 0 end
local found = redis.call('HMGET', claims .. key, 'holder', 'until')
if found[1] and found[1] ~= holder and tonumber(found[2]) > tonumber(now) then return 0 end
local ends = after(seconds)
redis.call('HSET', claims .. key, 'holder', holder, 'until', ends)
vanish(claims .. key, ends)
return 1
"""
)

RELEASE: Final = (
    _PRELUDE
    + """
local key, holder = ARGV[4], ARGV[5]
local found = redis.call('HMGET', claims .. key, 'holder', 'until')
if found[1] ~= holder then return 0 end
redis.call('DEL', claims .. key)
if tonumber(found[2]) > tonumber(now) then return 1 end
return 0
"""
)

SCAN: Final = (
    _PRELUDE
    + """
local older, limit = ARGV[4], tonumber(ARGV[5])
local bound, rows, start, page = '+inf', {}, 0, 100
if older ~= '' then bound = '(' .. after('-' .. older) end
while #rows < limit do
  local keys = redis.call('ZRANGEBYSCORE', age, '-inf', bound, 'LIMIT', start, page)
  for _, key in ipairs(keys) do
    local found = live(key, {'value'})
    if found and #rows < limit then rows[#rows + 1] = {found[1], found[2], found[3], key} end
  end
  if #keys < page then break end
  start = start + page
end
return rows
"""
)

PRUNE: Final = (
    _PRELUDE
    + """
local older, most, bytes, page = ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7])
local went = 0
local function clear(keys)
  for _, key in ipairs(keys) do
    forget(key)
    went = went + 1
  end
end
clear(redis.call('ZRANGEBYSCORE', expiry, '-inf', now, 'LIMIT', 0, page))
if older ~= '' and went < page then
  local bound = '(' .. after('-' .. older)
  clear(redis.call('ZRANGEBYSCORE', age, '-inf', bound, 'LIMIT', 0, page - went))
end
if most ~= '' and went < page then
  local excess = redis.call('ZCARD', age) - tonumber(most)
  if excess > 0 then clear(redis.call('ZRANGE', age, 0, math.min(excess, page - went) - 1)) end
end
if bytes ~= '' then
  while went < page and tonumber(redis.call('GET', total) or '0') > tonumber(bytes) do
    local oldest = redis.call('ZRANGE', age, 0, 0)
    if #oldest == 0 then break end
    clear(oldest)
  end
end
return went
"""
)
