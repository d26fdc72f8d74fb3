-- Slots that are held while something runs: each has a name and ends by itself when nobody renews it.
--
-- KEYS: the slots (a sorted set: name -> when it ends, in microseconds)
-- ARGV: `begin`, `renew` or `end`; the slot's name; how many there are; how long one is held, in microseconds
local key, verb, name, most, held = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if verb == 'end' then
    redis.call('ZREM', key, name)
    return { 1 }
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%.0f', now))
-- Who renews has it, also where it was forgotten meanwhile.
if verb == 'begin' and redis.call('ZCARD', key) >= most then
    return { 0 }
end
redis.call('ZADD', key, string.format('%.0f', now + held), name)
redis.call('PEXPIRE', key, string.format('%.0f', math.ceil(held / 1000) + 1000))
return { 1 }
