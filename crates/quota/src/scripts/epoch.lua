-- A look at whether Redis answers and can be written to, and for how long it has forgotten nothing.
--
-- KEYS: the epoch
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local epoch = redis.call('GET', KEYS[1]) or string.format('%.0f', now)
-- Also where it is there: a server without memory, or one that only follows another, refuses this as it would refuse to count.
redis.call('SET', KEYS[1], epoch)
return { now - tonumber(epoch) }
