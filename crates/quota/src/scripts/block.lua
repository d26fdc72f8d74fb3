-- A block of units for one replica, where a limit is too high to ask for each request. A block is granted in a bucket of
-- time and may be used until the bucket ends, so its units count until a window after that end.
--
-- KEYS: the blocks (a hash: bucket -> units, and `sum`, `oldest`, `newest`), the epoch
-- ARGV: units wanted, the limit, the window in microseconds, the length of a bucket, units of an earlier block that were not
--       used, the bucket of that block, now (only in tests), the epoch that is known
local key, wanted, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local length, unused, earlier = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[6]
local now = now_or(ARGV[7])

local epoch, epoch_age = epoch_of(KEYS[2], ARGV[8], now)

local function name(bucket) return string.format('%.0f', bucket) end
local function units(bucket) return tonumber(redis.call('HGET', key, name(bucket)) or 0) end

local kept = redis.call('HMGET', key, 'sum', 'oldest', 'newest')
local sum, oldest, newest = tonumber(kept[1] or 0), tonumber(kept[2] or -1), tonumber(kept[3] or -1)
if unused > 0 and sum > 0 then
    local given_back = math.min(unused, tonumber(redis.call('HGET', key, earlier) or 0))
    if given_back > 0 then
        redis.call('HINCRBY', key, earlier, -given_back)
        sum = sum - given_back
    end
end

-- There are at most as many buckets as fit into a window, and a few: the key itself expires when all of them do.
while oldest >= 0 and oldest <= newest and (units(oldest) == 0 or (oldest + 1) * length + window <= now) do
    sum = sum - units(oldest)
    redis.call('HDEL', key, name(oldest))
    oldest = oldest + 1
end

local bucket = math.max(math.floor(now / length), newest)
local granted = math.max(0, math.min(wanted, limit - sum))
if granted > 0 then
    redis.call('HINCRBY', key, name(bucket), granted)
    if oldest < 0 or oldest > newest then oldest = bucket end
    newest = bucket
end
local total = sum + granted
if oldest >= 0 then
    redis.call('HSET', key, 'sum', name(total), 'oldest', name(oldest), 'newest', name(newest))
    redis.call('PEXPIRE', key, name(math.ceil(((newest + 1) * length + window - now) / 1000) + 1000))
end

local next_unit, full = 0, 0
if total > 0 then
    next_unit, full = (oldest + 1) * length + window - now, (newest + 1) * length + window - now
end
if limit == 0 then
    next_unit = window
end
local valid = math.min((bucket + 1) * length - now, length)
return { granted, sum, next_unit, full, now, epoch_age, bucket, valid, epoch }
