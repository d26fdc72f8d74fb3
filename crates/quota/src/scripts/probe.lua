-- Checks that Redis replies and accepts writes.
--
-- KEYS: the epoch
-- ARGV: the epoch known to the caller
-- Reply: now, the epoch, its age
local now = now_or()
local epoch, age = epoch_of(KEYS[1], ARGV[1], now)
-- Written even if unchanged: a server without memory and a read-only replica refuse this as they would refuse to count.
redis.call('SET', KEYS[1], string.format('%.0f', epoch))
return { now, epoch, age }
