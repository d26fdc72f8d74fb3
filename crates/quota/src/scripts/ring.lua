-- One ring: at most `limit` admitted in any window, by Redis' clock. The arithmetic is that of `access/limiter.rs`, and a
-- test holds the two together step by step.
--
-- KEYS: the ring (instants in microseconds since 1970, oldest first), the epoch
-- ARGV: how many are wanted, or given back; the limit, the window in microseconds, an instant to give back or 0, now (only in tests),
--       the epoch that is known
local key, wanted, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = now_or(ARGV[5])

local epoch, epoch_age = epoch_of(KEYS[2], ARGV[6], now)

local function at(index)
    local instant = redis.call('LINDEX', key, index)
    return instant and tonumber(instant)
end

local oldest, dropped = at(0), 0
while oldest and oldest + window <= now and dropped < 64 do
    redis.call('LPOP', key)
    oldest, dropped = at(0), dropped + 1
end
if oldest and oldest + window <= now then
    -- Many expired at once: the first that has not is searched for, between those that have and the end.
    local low, high = 0, redis.call('LLEN', key)
    while high - low > 1 do
        local middle = math.floor((low + high) / 2)
        if at(middle) + window <= now then low = middle else high = middle end
    end
    redis.call('LTRIM', key, high, -1)
end

if ARGV[4] ~= '0' then
    redis.call('LREM', key, -wanted, ARGV[4])
    wanted = 0
end

local used, newest = redis.call('LLEN', key), at(-1)
local granted = math.max(0, math.min(wanted, limit - used))
-- Also when the clock went backwards: the order of the instants must hold.
local stamp = newest and math.max(newest, now) or now
if granted > 0 then
    local text, left = string.format('%.0f', stamp), granted
    while left > 0 do
        local some = {}
        for place = 1, math.min(left, 1000) do some[place] = text end
        redis.call('RPUSH', key, unpack(some))
        left = left - #some
    end
    newest = stamp
    redis.call('PEXPIRE', key, string.format('%.0f', math.ceil((newest + window - now) / 1000) + 1000))
end

local total = used + granted
local next_unit, full = 0, 0
if total > 0 then
    next_unit = at(math.max(0, total - limit)) or newest
    next_unit, full = next_unit + window - now, newest + window - now
end
if limit == 0 then
    next_unit = window
end
return { granted, used, next_unit, full, now, epoch_age, stamp, 0, epoch }
