-- Checks that Redis replies and accepts writes, and returns the epoch and its age.
--
-- KEYS: the epoch
-- ARGV: the epoch known to the caller
local epoch, age = epoch_of(KEYS[1], ARGV[1], now_or())
-- Written even if unchanged: a server without memory and a read-only replica refuse this as they would refuse to count.
redis.call('SET', KEYS[1], string.format('%.0f', epoch))
return { epoch, age }
