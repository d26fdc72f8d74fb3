-- The ring of one holder: at most `limit` units in any window, by Redis' clock. The arithmetic is that of
-- `access/limiter.rs`; a test compares the two step by step.
--
-- KEYS: the ring (a list of instants in microseconds since 1970, oldest first), the epoch
-- ARGV: units wanted (1, or 0 to read the state only), the limit, the window in microseconds, the epoch known to the
--       caller, and in tests the time
-- Reply: units granted, units used before, time until the next unit and until all units are free, now, the instant of the
--       unit, 0, the epoch, its age
local call, key = redis.call, KEYS[1]
local wanted, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = now_or(ARGV[5])
local epoch, epoch_age = epoch_of(KEYS[2], ARGV[4], now)

local function at(index)
    local instant = call('LINDEX', key, index)
    return instant and tonumber(instant)
end

-- Drops the instants that have left the window. The first that has not is searched in steps that double, and then between
-- the last two steps: one look if none has left, few if thousands have.
local low, high, oldest = -1, 0, at('0')
while oldest and oldest + window <= now do
    low, high = high, high * 2 + 1
    oldest = at(high)
end
while high - low > 1 do
    local middle = math.floor((low + high) / 2)
    local instant = at(middle)
    if instant and instant + window <= now then low = middle else high, oldest = middle, instant end
end
if high > 0 then
    call('LTRIM', key, high, '-1')
end

-- Instants never fall: after the clock went back, a unit gets the newest instant.
local newest = oldest and at('-1')
local stamp = newest and newest > now and newest or now

local used, granted = 0, 0
if wanted == 0 then
    used = call('LLEN', key)
else
    -- RPUSH returns the length. A unit beyond the limit is removed again, which is rare: callers remember refusals.
    used = call('RPUSH', key, stamp) - 1
    if used < limit then
        granted, newest = 1, stamp
        call('PEXPIRE', key, math.ceil((stamp + window - now) / 1000) + 1000)
    else
        call('LTRIM', key, '0', '-2')
    end
end

local total, next_unit, full = used + granted, 0, 0
if total > 0 then
    -- The instant that must leave before a unit is free: a later one than the oldest if the limit was lowered.
    local blocking = total > limit and at(total - limit) or oldest or stamp
    next_unit = blocking + window - now
    full = newest + window - now
end
if limit == 0 then
    next_unit = window
end
return { granted, used, next_unit, full, now, stamp, 0, epoch, epoch_age }
