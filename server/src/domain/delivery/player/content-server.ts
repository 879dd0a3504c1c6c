import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { JsonShape } from '../../../../../standards/json-shape.ts';
import { storageLimits } from '../../../../../standards/storage-limits.ts';
import { assetRoute } from '../../../http/built-files.ts';
import { parseBeacons } from '../../../http/validation/validation.ts';
import type { Context } from '../../../infra/context/context.ts';
import { locations } from '../../../lib/locations.ts';
import { allowFetchFromAnywhere } from './au-routes.ts';
import { rejectOtherHosts } from './content-hosts.ts';
import { playerPage } from './content-routes.ts';

/**
 * Courses embed video players, which check the page's origin. Courses also save their data in unload
 * handlers, which browsers are phasing out.
 */
export const contentHeaders = {
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Prevents courses on the same domain from sharing an origin through document.domain.
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': 'unload=*',
};

const commitShape: JsonShape = { depth: 3, values: storageLimits.unitElements + 100 };

/**
 * Longer responses, in characters, are not compressed. Responses contain data stored by courses, which may be
 * slow to compress. Compression also blocks threads needed for file access and password hashing.
 */
const maxCompressed = 256 * 1024;

/**
 * Adds everything that the content origin needs besides its routes. Must be called before the routes are
 * registered.
 */
export async function prepareContent(app: FastifyInstance, ctx: Context): Promise<void> {
  parseBeacons(app, commitShape);
  await app.register(fastifyStatic, { root: ctx.files.folder('.'), serve: false });
  await app.register(fastifyCompress, {
    globalDecompression: false,
    encodings: ['br', 'gzip'],
    threshold: 1024,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
    zlibOptions: { level: 1 },
  });
  allowFetchFromAnywhere(app);
  rejectOtherHosts(app, ctx);
  app.addHook('onRequest', (request, _reply, done) => {
    // Disable compression of ranges, because a compressed part would not match the requested range.
    if (request.headers.range) request.headers['x-no-compression'] = 'true';
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (typeof payload === 'string' && payload.length > maxCompressed)
      request.headers['x-no-compression'] = 'true';
    done();
  });
  // Fail at start-up if the player has not been built.
  playerPage();
  assetRoute(app, '/player', locations.player);
}
