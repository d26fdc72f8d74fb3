// Lastro's additional work for every request, done by Fastify's own plugins: a key, a limit for each key (and for each
// address without one), its headers, an ETag. Usage and the request's id need no plugin. All of it is in memory, with
// the defaults of the plugins.
import bearerAuth from '@fastify/bearer-auth';
import etag from '@fastify/etag';
import rateLimit from '@fastify/rate-limit';

const KEYED = 100_000_000;
const KEYLESS = 30;

export async function takeOn(app, key) {
  const hasKey = (request) => request.headers.authorization !== undefined;

  await app.register(bearerAuth, { keys: new Set([key]), addHook: false });
  app.addHook('onRequest', (request, reply, done) =>
    hasKey(request) ? app.verifyBearerAuth(request, reply, done) : done());

  await app.register(rateLimit, {
    timeWindow: '1 minute',
    keyGenerator: (request) => request.headers.authorization ?? request.ip,
    max: (request) => (hasKey(request) ? KEYED : KEYLESS),
  });

  await app.register(etag);

  const usage = new Map();
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-plan', hasKey(request) ? 'platinum' : 'free');
  });
  app.addHook('onResponse', async (request, reply) => {
    const line = `${request.headers.authorization ?? request.ip} ${request.routeOptions.url} ${reply.statusCode}`;
    usage.set(line, (usage.get(line) ?? 0) + 1);
  });
}
