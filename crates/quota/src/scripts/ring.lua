-- Rings, as many as requests ask for together: in each at most `limit` units in any window, by Redis' clock. The arithmetic
-- is that of `access/limiter.rs`; a test compares the two step by step.
--
-- KEYS: the rings (lists of instants in microseconds since 1970, oldest first), and then the epoch
-- ARGV: for each ring the units wanted (1, or 0 to read the state only), the limit and the window in microseconds; then the
--       epoch known to the caller, and in tests the time
-- Reply: now, the epoch, its age; then for each ring the units granted, the units used before, the time until the next unit
--       and until all units are free, and the instant of the unit
local call, rings = redis.call, #KEYS - 1
local now = now_or(ARGV[3 * rings + 2])
local epoch, epoch_age = epoch_of(KEYS[rings + 1], ARGV[3 * rings + 1], now)

local function at(key, index)
    local instant = call('LINDEX', key, index)
    return instant and tonumber(instant)
end

-- Drops the instants that have left the window, and returns the oldest that has not. That is searched in steps that double,
-- and then between the last two steps: one look if none has left, few if thousands have.
local function drop_expired(key, window)
    local low, high, oldest = -1, 0, at(key, '0')
    while oldest and oldest + window <= now do
        low, high = high, high * 2 + 1
        oldest = at(key, high)
    end
    while high - low > 1 do
        local middle = math.floor((low + high) / 2)
        local instant = at(key, middle)
        if instant and instant + window <= now then low = middle else high, oldest = middle, instant end
    end
    if high > 0 then
        call('LTRIM', key, high, '-1')
    end
    return oldest
end

-- Sets the expiry of a list before a unit: a window and a second after the end of the eighth of a window in which the unit
-- lies. So it is set for the first unit of an eighth only, which saves Redis a sixth of its time.
local function keep(key, window, newest, stamp)
    local eighth = window / 8
    local start = stamp - stamp % eighth
    if not newest or newest < start then
        call('PEXPIRE', key, math.ceil((start + eighth + window - now) / 1000) + 1000)
    end
end

local function take(key, wanted, limit, window)
    local oldest = drop_expired(key, window)
    -- Instants never fall: after the clock went back, a unit gets the newest instant.
    local newest = oldest and at(key, '-1')
    local stamp = newest and newest > now and newest or now
    local used, granted = 0, 0
    if wanted == 0 then
        used = call('LLEN', key)
    else
        -- RPUSH returns the length. A unit beyond the limit is removed again, which is rare: callers remember refusals.
        used = call('RPUSH', key, stamp) - 1
        if used < limit then
            keep(key, window, newest, stamp)
            granted, newest = 1, stamp
        else
            call('LTRIM', key, '0', '-2')
        end
    end
    local total, next_unit, full = used + granted, 0, 0
    if total > 0 then
        -- The instant that must leave before a unit is free: a later one than the oldest if the limit was lowered.
        local blocking = total > limit and at(key, total - limit) or oldest or stamp
        next_unit, full = blocking + window - now, newest + window - now
    end
    if limit == 0 then
        next_unit = window
    end
    return granted, used, next_unit, full, stamp
end

local reply = { now, epoch, epoch_age }
for ring = 1, rings do
    local wanted, limit, window = unpack(ARGV, 3 * ring - 2, 3 * ring)
    local place = #reply
    reply[place + 1], reply[place + 2], reply[place + 3], reply[place + 4], reply[place + 5] =
        take(KEYS[ring], tonumber(wanted), tonumber(limit), tonumber(window))
end
return reply
