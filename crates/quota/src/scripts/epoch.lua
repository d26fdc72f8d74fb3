-- Put before the scripts that count: the time, and for how long Redis has forgotten nothing that anybody counted.
--
-- The epoch says since when. A replica that has just begun and finds none has admitted nothing that could be forgotten, so
-- it makes one that has no doubt (below zero, and unlike any other by its time). Whoever was there before and finds none,
-- or one without doubt in place of the one it knew, makes one of this moment: all that was counted until now is gone.
-- Who has counted alone and knew none takes the one that is there: what it admitted is its own to wait for.
--
-- `known` is the epoch that the caller last heard of, 0 if it has counted without one, nothing if it has just begun.
local function epoch_of(key, known, now)
    local epoch = redis.call('GET', key)
    local has_begun = not known or known == ''
    if not epoch or (not has_begun and known ~= '0' and known ~= epoch and tonumber(epoch) < 0) then
        epoch = string.format('%.0f', has_begun and -now or now)
        redis.call('SET', key, epoch)
    end
    local since = tonumber(epoch)
    return since, since < 0 and now or now - since
end

-- Microseconds since 1970, by Redis' clock; only tests tell another time.
local function now_or(told)
    if told and told ~= '' then
        return tonumber(told)
    end
    local time = redis.call('TIME')
    return time[1] * 1000000 + time[2]
end

