import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

// biome-ignore lint/suspicious/noExplicitAny: responses of any shape
export type Answer = { status: number; location: string | null; retryAfter: string | null; body: any };

export type Client = {
  /** Resolves once the last byte has arrived; throws if the connection ends before that. */
  call: (method: string, address: string, body?: unknown, key?: string, once?: string) => Promise<Answer>;
  close: () => void;
};

/** Calls over keep-alive connections, with a timeout. */
export function openClient(sockets: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: sockets });
  const call: Client['call'] = (method, address, body, key, once) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? null : JSON.stringify(body);
      const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
      if (once !== undefined) headers['idempotency-key'] = once;
      if (text !== null) headers['content-type'] = 'application/json';
      if (address.includes('/xapi/')) headers['x-experience-api-version'] = '2.0.0';
      const sent = request(address, { method, agent, headers, timeout: 30_000 }, (response) => {
        let received = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          received += part;
        });
        response.on('error', reject);
        response.on('close', () => {
          if (!response.complete) return reject(new Error('The response was cut off.'));
          const json = /json/.test(response.headers['content-type'] ?? '') && received !== '';
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location ?? null,
            retryAfter: response.headers['retry-after'] ?? null,
            body: json ? JSON.parse(received) : received,
          });
        });
      });
      sent.on('timeout', () => sent.destroy(new Error('No response within 30 s.')));
      sent.on('error', reject);
      sent.end(text ?? undefined);
    });
  return { call, close: () => agent.destroy() };
}

/** A read that is repeated: a service that has just been restarted on a busy machine may be overloaded. */
export async function readAgain(client: Client, ...call: Parameters<Client['call']>): Promise<Answer> {
  for (let again = 0; ; again++) {
    const answer = await client.call(...call);
    if (answer.status !== 503 || again === 60) return answer;
    await pause(1_000);
  }
}
