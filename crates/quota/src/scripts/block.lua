-- A block of units for one replica, for limits too high to ask for each request. A block is granted in a bucket of time and
-- may be used until that bucket ends, so its units count until a window after the end.
--
-- KEYS: the blocks (a hash: bucket -> units, and `sum`, `oldest`, `newest`), the epoch
-- ARGV: units wanted, the limit, the window in microseconds, the epoch known to the caller, the length of a bucket, unused
--       units of an earlier block, the bucket of that block, and in tests the time
-- Reply: as `ring.lua`, with the bucket in place of the instant, and then the time for which the block may be used
local key, wanted, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local length, unused, earlier = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
local now = now_or(ARGV[8])
local epoch, epoch_age = epoch_of(KEYS[2], ARGV[4], now)

local function units(bucket) return tonumber(redis.call('HGET', key, bucket) or 0) end

local kept = redis.call('HMGET', key, 'sum', 'oldest', 'newest')
local sum, oldest, newest = tonumber(kept[1] or 0), tonumber(kept[2] or -1), tonumber(kept[3] or -1)
if unused > 0 and sum > 0 then
    local given_back = math.min(unused, units(earlier))
    if given_back > 0 then
        redis.call('HINCRBY', key, earlier, -given_back)
        sum = sum - given_back
    end
end

-- There are at most as many buckets as fit into a window, and a few: the key itself expires when all of them do.
while oldest >= 0 and oldest <= newest and (units(oldest) == 0 or (oldest + 1) * length + window <= now) do
    sum = sum - units(oldest)
    redis.call('HDEL', key, oldest)
    oldest = oldest + 1
end

local bucket = math.max(math.floor(now / length), newest)
local granted = math.max(0, math.min(wanted, limit - sum))
if granted > 0 then
    redis.call('HINCRBY', key, bucket, granted)
    if oldest < 0 or oldest > newest then oldest = bucket end
    newest = bucket
end
local total = sum + granted
if oldest >= 0 then
    redis.call('HSET', key, 'sum', total, 'oldest', oldest, 'newest', newest)
    redis.call('PEXPIRE', key, math.ceil(((newest + 1) * length + window - now) / 1000) + 1000)
end

local next_unit, full = 0, 0
if total > 0 then
    next_unit, full = (oldest + 1) * length + window - now, (newest + 1) * length + window - now
end
if limit == 0 then
    next_unit = window
end
local valid = math.min((bucket + 1) * length - now, length)
return { now, epoch, epoch_age, granted, sum, next_unit, full, bucket, valid }
