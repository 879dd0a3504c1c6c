import { setTimeout as pause } from 'node:timers/promises';
import { ask, type Reply, tally } from '../ask.ts';
import type { Attempt, Outcome } from '../attempt.ts';
import { uniqueName } from '../world.ts';

function outcome(replies: readonly Reply[]): Outcome {
  const held = replies.every(
    ({ status, headers }) => status < 300 || (status === 429 && headers['retry-after'] !== undefined),
  );
  return { held: held && replies.some(({ status }) => status === 200), detail: tally(replies) };
}

/** So many callers at a time for 6 s; who is rejected waits for a while. */
async function goOn(callers: number, call: () => Promise<Reply>): Promise<Reply[]> {
  const until = performance.now() + 6_000;
  const replies: Reply[] = [];
  const caller = async (): Promise<void> => {
    while (performance.now() < until) {
      const reply = await call();
      replies.push(reply);
      if (reply.status >= 300) await pause(500);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return replies;
}

/** What one key may do, and what costs the service much. */
export const heavyAttempts: readonly Attempt[] = [
  {
    finding: 'M4',
    name: '150 password checks of one key at a time',
    run: async ({ service, key }) =>
      outcome(
        await goOn(150, () =>
          ask(`${service.baseUrl}/user/check/${uniqueName('none')}`, {
            method: 'POST',
            key,
            body: JSON.stringify({ Password: 'a'.repeat(64) }),
          }),
        ),
      ),
  },
];
