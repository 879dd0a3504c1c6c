import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { problemDocument } from '../problems.ts';

const lingerMilliseconds = 1_000;

function problemOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new Problem(
      'headers_too_large',
      'The URL and headers can have at most 16 kB in total. Shorten the URL, or send fewer or shorter headers.',
    );
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new Problem('request_timeout', 'The request did not arrive in time. Send it again.');
  return new Problem(
    'malformed_request',
    'This is not a valid HTTP request. Percent-encode the URL, and send the body with Content-Length or chunked encoding.',
  );
}

/**
 * Sends a problem document for requests that the HTTP parser rejects, and then closes the
 * connection. Such requests never reach a route.
 */
export function handleClientErrors(log: Log, headers: Record<string, string>) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const requestId = randomUUID();
    const problem = problemOf(error.code);
    log.info({ request_id: requestId, route: null, status: problem.status, reason: error.code }, 'request');
    if (!socket.writable) return void socket.destroy();
    const body = JSON.stringify(problemDocument(problem, requestId));
    const lines = Object.entries({
      ...headers,
      'X-Request-Id': requestId,
      'X-Content-Type-Options': 'nosniff',
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    }).map(([name, value]) => `${name}: ${value}\r\n`);
    // Keeps reading from the client for a moment, because a reset would discard the response.
    socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`);
    socket.resume();
    setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
  };
}
