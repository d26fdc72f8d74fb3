-- A look at whether Redis answers and can be written to, and for how long it has forgotten nothing.
--
-- KEYS: the epoch
-- ARGV: the epoch that is known
local now = now_or()
local epoch, age = epoch_of(KEYS[1], ARGV[1], now)
-- Also where it is there: a server without memory, or one that only follows another, refuses this as it would refuse to count.
redis.call('SET', KEYS[1], string.format('%.0f', epoch))
return { age, epoch }
