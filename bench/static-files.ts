// Serves the files of a folder with @fastify/static, to compare course files with. Exits when its parent process exits.
//   node static-files.ts FOLDER PORT
import serveStatic from '@fastify/static';
import fastify from 'fastify';

const [root = '', port] = process.argv.slice(2);
const app = fastify();
app.register(serveStatic, { root, cacheControl: false });
process.on('disconnect', () => process.exit());
await app.listen({ port: Number(port), host: '127.0.0.1' });
process.send?.('ready');
