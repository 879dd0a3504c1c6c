import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Config, hostInUrl } from '../infra/context/config.ts';

const everyAddress = new Set(['0.0.0.0', '::']);
const milliseconds = 2_500;

/** The status of /health/ready of the service on this machine, for the health checks of containers. */
export function readyStatus({ host, port, operationsPort, tls }: Config): Promise<number> {
  const name = everyAddress.has(host) ? '127.0.0.1' : host;
  const url = `${tls ? 'https' : 'http'}://${hostInUrl(name)}:${operationsPort ?? port}/health/ready`;
  // The certificate is for the public name, not for this address.
  const options = { timeout: milliseconds, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    const sent = (tls ? requestHttps : requestHttp)(url, options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('timeout', () => sent.destroy(new Error(`no response within ${milliseconds / 1_000} s`)));
    sent.on('error', (cause) => reject(new Error(`No response from ${url} (${cause.message}).`, { cause })));
    sent.end();
  });
}
