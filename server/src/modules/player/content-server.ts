import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { assetRoute } from '../../platform/built-files.ts';
import type { Context } from '../../platform/context.ts';
import { parseBeacons } from '../../platform/http/bodies.ts';
import type { JsonShape } from '../../platform/json-shape.ts';
import { places } from '../../platform/places.ts';
import { compressCourseFile } from './compress-files.ts';
import { refuseOtherHosts } from './content-hosts.ts';
import { playerPage } from './content-routes.ts';
import { mostElements } from './schemas.ts';

/** Courses show videos of players that want to know the page's origin, and save in unload handlers, which browsers are about to switch off. */
export const contentHeaders = {
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Courses of one domain cannot give up their origins to each other by document.domain.
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': 'unload=*',
};

const commitShape: JsonShape = { depth: 3, values: mostElements + 100 };

/** What the content origin has beside its routes; to be called before they are registered. */
export async function prepareContent(app: FastifyInstance, ctx: Context): Promise<void> {
  parseBeacons(app, commitShape);
  await app.register(fastifyStatic, { root: ctx.files.folder('.'), serve: false });
  await app.register(fastifyCompress, {
    globalDecompression: false,
    encodings: ['br', 'gzip'],
    threshold: 1024,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  });
  refuseOtherHosts(app, ctx);
  app.addHook('onRequest', (request, _reply, done) => {
    // Compressing a part of a file would make the range a lie.
    if (request.headers.range) request.headers['x-no-compression'] = 'true';
    done();
  });
  compressCourseFile(app, ctx);
  // Fails now when it has not been built.
  playerPage();
  assetRoute(app, '/player', places.player);
}
