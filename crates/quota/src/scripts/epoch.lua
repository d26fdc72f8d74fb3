-- A look at whether Redis answers, and for how long it has forgotten nothing.
--
-- KEYS: the epoch
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local epoch = redis.call('GET', KEYS[1])
if not epoch then
    epoch = string.format('%.0f', now)
    redis.call('SET', KEYS[1], epoch)
end
return { now - tonumber(epoch) }
