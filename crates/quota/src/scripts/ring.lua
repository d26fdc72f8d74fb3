-- Rings, as many as are asked for together: in each at most `limit` admitted in any window, by Redis' clock. The arithmetic is
-- that of `access/limiter.rs`, and a test holds the two together step by step. All of a call happens at one moment.
--
-- KEYS: the rings (instants in microseconds since 1970, oldest first), and after them the epoch and the latest instant
-- ARGV: now (only in tests), the epoch that is known, and the questions: for each ring how many units are wanted, or given
--       back; the limit, the window in microseconds, an instant to give back or 0; and what the caller remembers of it, or 0:
--       the oldest instant, and that of the last units it was granted
-- Told: now, the age of the epoch, the epoch; then for each ring how many are granted, how many were used before, how long until
--       the next unit and until all of them are back, and the instant of what was granted
--
-- It is on the path of requests, so the questions are one string and the answers too: an argument, a number in an answer or
-- a text that is read as a number costs a third of a command each. And no command is sent whose answer is known: for a ring
-- that is in use, there is one alone, the push.
local QUESTION, ANSWER, HEAD = '>I8I8I8I8I8I8', '>i8i8i8i8i8', '>i8i8i8'
local EPOCH, LATEST = KEYS[#KEYS - 1], KEYS[#KEYS]
local call, format = redis.call, string.format
local pack, unpack_numbers = struct.pack, struct.unpack
local now = now_or(ARGV[1])
local now_text = format('%.0f', now)

-- No instant of any ring is after the latest of all. Only where the clock went back, or nothing is known of that, has the
-- newest of a ring to be looked at: a ring's instants must not fall.
local latest = call('GET', LATEST)
local is_latest = latest and latest + 0 <= now
if not latest or latest + 0 < now then
    -- Where there is no memory for it there is none for units either, and the rest of a call goes on.
    redis.pcall('SET', LATEST, now_text)
end

local function at(key, index)
    local instant = call('LINDEX', key, index)
    return instant and instant + 0
end

-- Drops what has left the window, and returns the oldest that has not. Where many left, the first that has not is looked for
-- in steps that double, and then between the last two.
local function oldest_of(key, window)
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
    if high == 1 then
        call('LPOP', key)
    elseif high > 1 then
        call('LTRIM', key, high, '-1')
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

-- A list expires a second after the end of the eighth of a window in which its newest instant lies, and a window. It is told
-- so when it is made, and by each caller at the first units that it is granted in an eighth: a push leaves the end of a
-- list alone.
--
-- No list ends before its last unit. Instants only grow, so all of them expire before the end that belongs to the newest.
-- Who was granted units in this eighth has told the end of it then, or whoever made the list since. Where units are
-- given back the end may belong to one that is gone, which was newer. Where a clock steps back the push still has the
-- instant of the newest; and the end is kept by the clock that the instants are of.
local function keep(key, window, stamp)
    local part = window / 8
    local ends = stamp - stamp % part + part + window
    call('PEXPIRE', key, format('%.0f', math.ceil((ends - now) / 1000) + 1000))
end

-- The instant of what is granted now.
local function stamp_of(key)
    local newest = not is_latest and at(key, '-1')
    return newest and newest > now and newest or now
end

-- The length of a list tells how many were used, and a push tells the length: what was pushed beyond the limit is taken away
-- again. Refusals come from notes nearly always, so this is rare.
local function take(key, wanted, limit, window, told)
    local stamp, pushed = stamp_of(key), wanted < limit and wanted or limit
    if pushed == 0 then
        return 0, call('LLEN', key), stamp
    end
    local total, excess = push(key, pushed, stamp), 0
    if total > limit then
        excess = math.min(pushed, total - limit)
        call('LTRIM', key, '0', -1 - excess)
    end
    local is_told = told >= stamp - stamp % (window / 8) and told <= stamp
    if excess < pushed and (total == pushed or not is_told) then
        keep(key, window, stamp)
    end
    return pushed - excess, total - pushed, stamp
end

local function answer(key, wanted, limit, window, given_back, oldest, told)
    -- While the oldest that was has not left the window, nothing has: what came since is newer. Not where the clock went
    -- back and the oldest was given back meanwhile; who still remembers that one later counts others a moment longer, until
    -- somebody would have to wait.
    local is_remembered = is_latest and oldest + window > now and given_back == 0
    if not is_remembered then
        oldest = oldest_of(key, window)
    end
    if given_back > 0 then
        call('LREM', key, -wanted, format('%.0f', given_back))
        wanted, oldest = 0, at(key, '0')
    end
    local granted, used, stamp = take(key, wanted, limit, window, told)
    local total, next_unit, full = used + granted, 0, 0
    if total > 0 then
        -- Who has to wait is told what the list says: others may have given back what the caller remembers.
        local blocking = total >= limit and at(key, total - limit) or used > 0 and oldest or stamp
        local newest = granted > 0 and stamp or at(key, '-1')
        next_unit, full = blocking + window - now, newest + window - now
        if is_remembered and (next_unit <= 0 or full <= 0) then
            -- Something is over, and what was remembered is wrong: asked anew, without it.
            if granted > 0 then
                call('LTRIM', key, '0', -1 - granted)
            end
            return answer(key, wanted, limit, window, 0, 0, told)
        end
    end
    if limit == 0 then
        next_unit = window
    end
    return pack(ANSWER, granted, used, next_unit, full, stamp)
end

local epoch, epoch_age = epoch_of(EPOCH, ARGV[2], now)
local answers, questions, place = { pack(HEAD, now, epoch_age, epoch) }, ARGV[3], 1
for ring = 1, #KEYS - 2 do
    local wanted, limit, window, given_back, oldest, told
    wanted, limit, window, given_back, oldest, told, place = unpack_numbers(QUESTION, questions, place)
    answers[ring + 1] = answer(KEYS[ring], wanted, limit, window, given_back, oldest, told)
end
return table.concat(answers)
