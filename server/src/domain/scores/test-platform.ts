import Type from 'typebox';
import { Fields, OneOf } from '../../http/validation/schema.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { checkedFetch } from '../events/webhooks/checked-fetch.ts';
import { accessToken, forgetToken } from '../lti/access-token.ts';
import { listLaunches } from '../lti/launches.ts';
import { readPlatform } from '../lti/platforms.ts';

const testSteps = ['keys', 'clock', 'token', 'launch'] as const;

export const PlatformTest = Fields(
  {
    Passed: Type.Boolean(),
    Steps: Type.Array(
      Fields({
        Step: OneOf(testSteps),
        Passed: Type.Boolean(),
        Detail: Type.String({ description: 'What was found or, if the step failed, what to do.' }),
      }),
      { description: 'Ends with the first step that failed. `launch` is left out before the first launch.' },
    ),
  },
  { title: 'PlatformTest' },
);
export type PlatformTest = Type.Static<typeof PlatformTest>;

const maxClockSeconds = 60;

/** Tries what launches and scores need, up to the first step that fails. The last launch is read from the log. */
export async function testPlatform(ctx: TenantContext, input: { platformId: string }): Promise<PlatformTest> {
  const { PlatformID, JWKSURL, Issuer } = await readPlatform(ctx, input);
  const Steps: PlatformTest['Steps'] = [];
  const step = async (Step: (typeof testSteps)[number], work: () => Promise<string>): Promise<boolean> => {
    const result = await work().then(
      (Detail) => ({ Passed: true, Detail }),
      ({ message }: Error) => ({ Passed: false, Detail: message.slice(0, 500) }),
    );
    Steps.push({ Step, ...result });
    return result.Passed;
  };
  const [last] = (await listLaunches(ctx, { platformId: PlatformID, Limit: 1 })).Items;
  let date: string | null = null;
  const Passed =
    (await step('keys', async () => {
      const options = { method: 'GET', headers: { accept: 'application/json' } };
      const reply = await checkedFetch(ctx.config)(JWKSURL, options).catch((error: Error) => {
        throw new Error(`Check JWKSURL, which could not be reached: ${error.message}`);
      });
      date = reply.headers.get('date');
      const { keys } = Object(await reply.json().catch(() => null)) as { keys?: unknown };
      if (!Array.isArray(keys) || keys.length === 0)
        throw new Error(`Check JWKSURL, which sent no keys (status ${reply.status}).`);
      return keys.length === 1 ? 'Found 1 key.' : `Found ${keys.length} keys.`;
    })) &&
    (await step('clock', async () => {
      if (date === null) return 'The platform does not say what time it is.';
      const seconds = Math.round((Date.parse(date) - ctx.now().getTime()) / 1000);
      if (Math.abs(seconds) > maxClockSeconds)
        throw new Error(
          `The clocks differ by ${Math.abs(seconds)} s. Correct that of ${Issuer} or of this server.`,
        );
      return 'The clocks agree.';
    })) &&
    (await step('token', async () => {
      forgetToken(ctx, PlatformID, 'score');
      await accessToken(ctx, PlatformID, 'score');
      return 'The platform gave an access token for scores.';
    })) &&
    (last === undefined ||
      (await step('launch', async () => {
        if (last.Problem !== null)
          throw new Error(`The last launch failed: ${last.Problem}. ${last.Detail ?? ''}`);
        return `The last launch succeeded at ${last.LaunchedAt}.`;
      })));
  return { Passed, Steps };
}
