-- Rings, as many as are asked for together: in each at most `limit` admitted in any window, by Redis' clock. The arithmetic is
-- that of `access/limiter.rs`, and a test holds the two together step by step. All of a call happens at one moment.
--
-- KEYS: the rings (instants in microseconds since 1970, oldest first), and after them the epoch
-- ARGV: now (only in tests), the epoch that is known, and the questions: for each ring how many units are wanted, or given
--       back; the limit, the window in microseconds, an instant to give back or 0
-- Told: now, the age of the epoch, the epoch; then for each ring how many are granted, how many were used before, how long until
--       the next unit and until all of them are back, and the instant of what was granted
--
-- It is on the path of requests, so the questions are one string and the answers too: an argument, a number in an answer or
-- a text that is read as a number costs a third of a command each. And no command is sent whose answer is known.
local QUESTION, ANSWER, HEAD = '>I8I8I8I8', '>i8i8i8i8i8', '>i8i8i8'
local call, format = redis.call, string.format
local pack, unpack_numbers = struct.pack, struct.unpack
local now = now_or(ARGV[1])
local now_text = format('%.0f', now)

local function at(key, index)
    local instant = call('LINDEX', key, index)
    return instant and instant + 0
end

-- Many expired at once: the first that has not is searched for, between those that have and the end.
local function drop_many(key, window)
    local low, high = 0, call('LLEN', key)
    while high - low > 1 do
        local middle = math.floor((low + high) / 2)
        if at(key, middle) + window <= now then low = middle else high = middle end
    end
    call('LTRIM', key, high, '-1')
end

-- Drops what has left the window, and returns the oldest that has not.
local function oldest_of(key, window)
    local oldest, dropped = at(key, '0'), 0
    while oldest and oldest + window <= now do
        if dropped < 64 then call('LPOP', key) else drop_many(key, window) end
        oldest, dropped = at(key, '0'), dropped + 1
    end
    return oldest
end

local function push(key, count, stamp)
    local text = stamp == now and now_text or format('%.0f', stamp)
    if count == 1 then
        return call('RPUSH', key, text)
    end
    local total
    while count > 0 do
        local some = {}
        for place = 1, math.min(count, 1000) do some[place] = text end
        total = call('RPUSH', key, unpack(some))
        count = count - #some
    end
    return total
end

-- A list expires a second after the end of the eighth of a window in which its newest instant lies, and a window: it is told
-- so when it is made and when the newest instant enters another eighth, for a push leaves the end of a list alone.
--
-- No list ends before its last unit. Instants only grow, so all of them expire before the end that belongs to the newest. Where
-- units are given back the end may belong to one that is gone, which was newer. It is told anew by the next push unless the
-- newest is in the same eighth as the one before, and then the end is that of this eighth or later. Where a clock steps
-- back the push still has the instant of the newest; and the end is kept by the clock that the instants are of.
local function keep(key, window, before, stamp)
    local part = window / 8
    local begun = stamp - stamp % part
    if not before or before < begun then
        call('PEXPIRE', key, format('%.0f', math.ceil((begun + part + window - now) / 1000) + 1000))
    end
end

-- The length of a list tells how many were used, and a push tells the length: what was pushed beyond the limit is taken away
-- again. Refusals come from notes nearly always, so this is rare.
local function take(key, wanted, limit, window, before)
    -- Also when the clock went backwards: the order of the instants must hold.
    local stamp = before and before > now and before or now
    local pushed = wanted < limit and wanted or limit
    if pushed == 0 then
        return 0, before and call('LLEN', key) or 0, stamp
    end
    local total, excess = push(key, pushed, stamp), 0
    if total > limit then
        excess = math.min(pushed, total - limit)
        call('LTRIM', key, '0', -1 - excess)
    end
    if excess < pushed then
        keep(key, window, before, stamp)
    end
    return pushed - excess, total - pushed, stamp
end

local function answer(key, wanted, limit, window, given_back)
    local oldest = oldest_of(key, window)
    if given_back > 0 then
        call('LREM', key, -wanted, format('%.0f', given_back))
        wanted, oldest = 0, at(key, '0')
    end
    local newest = oldest and at(key, '-1')
    local granted, used, stamp = take(key, wanted, limit, window, newest)
    if granted > 0 then
        oldest, newest = oldest or stamp, stamp
    end
    local total, next_unit, full = used + granted, 0, 0
    if total > 0 then
        -- The oldest, unless the limit was lowered.
        local blocking = total > limit and at(key, total - limit) or oldest
        next_unit, full = blocking + window - now, newest + window - now
    end
    if limit == 0 then
        next_unit = window
    end
    return pack(ANSWER, granted, used, next_unit, full, stamp)
end

local epoch, epoch_age = epoch_of(KEYS[#KEYS], ARGV[2], now)
local told, questions, place = { pack(HEAD, now, epoch_age, epoch) }, ARGV[3], 1
for ring = 1, #KEYS - 1 do
    local wanted, limit, window, given_back
    wanted, limit, window, given_back, place = unpack_numbers(QUESTION, questions, place)
    told[ring + 1] = answer(KEYS[ring], wanted, limit, window, given_back)
end
return table.concat(told)
