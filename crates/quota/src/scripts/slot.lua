-- Slots held while something runs. Each has a name, and ends by itself if it is not renewed.
--
-- KEYS: the slots (a sorted set: name -> end, in microseconds)
-- ARGV: `begin`, `renew` or `end`; the slot's name; the number of slots; how long one is held, in microseconds
-- Reply: 1, or 0 if no slot is free
local key, verb, name, most, held = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if verb == 'end' then
    redis.call('ZREM', key, name)
    return { 1 }
end
local now = now_or()
redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
-- A renewal always succeeds, also after the slot was lost.
if verb == 'begin' and redis.call('ZCARD', key) >= most then
    return { 0 }
end
redis.call('ZADD', key, now + held, name)
redis.call('PEXPIRE', key, math.ceil(held / 1000) + 1000)
return { 1 }
