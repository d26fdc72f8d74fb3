-- Placed before every script: the time and the epoch.

-- Microseconds since 1970, by Redis' clock. Only tests pass another time.
local function now_or(told)
    if told then
        return tonumber(told)
    end
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end

-- The epoch is the time since which Redis has lost no data, in a key that does not expire. Returns it and its age.
--
-- `known` is the epoch that the calling replica saw last; -1 if the replica has just started, 0 if it has admitted requests
-- without seeing an epoch.
-- * A replica that has just started has admitted nothing that could be lost. If it finds no epoch it creates a trusted one:
--   a negative number, with the age of 1970.
-- * A replica that saw an epoch before, and finds none or a trusted one in its place, knows that all counts were lost. It
--   starts the epoch at this moment.
-- * A replica that has counted without an epoch accepts the one that it finds.
local function epoch_of(key, known, now)
    local epoch = redis.call('GET', key)
    local is_new, has_seen_one = known == '-1', known ~= '-1' and known ~= '0'
    if not epoch or (has_seen_one and known ~= epoch and tonumber(epoch) < 0) then
        epoch = string.format('%.0f', is_new and -now or now)
        redis.call('SET', key, epoch)
    end
    local since = tonumber(epoch)
    return since, since < 0 and now or now - since
end

