-- Removes a unit from its ring.
--
-- KEYS: the ring
-- ARGV: the instant of the unit
return { redis.call('LREM', KEYS[1], -1, ARGV[1]) }
