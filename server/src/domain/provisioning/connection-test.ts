import type { TenantContext } from '../../infra/context/context.ts';
import type { DirectoryTest } from './schemas.ts';
import { listProvisioningLog, readProvisioning } from './settings.ts';

type Step = DirectoryTest['Steps'][number];

/** Checks what a sync needs, up to the first step that fails. Only the directory can open the connection. */
export async function testDirectory(ctx: TenantContext): Promise<DirectoryTest> {
  const { BaseURL, Keys, StoppedAt, GuardPercent } = await readProvisioning(ctx);
  const [latest] = (await listProvisioningLog(ctx, { Limit: 1 })).Items;
  // Only the use of a key that can do nothing else shows that a directory has it.
  const own = Keys.filter(({ Scopes }) => Scopes.length === 1);
  const usedAt = own
    .map(({ LastUsedAt }) => LastUsedAt ?? '')
    .sort()
    .at(-1);
  const steps: Step[] = [
    {
      Step: 'key',
      Passed: own.length > 0,
      Detail:
        own.length > 0
          ? `Usable keys: ${own.map(({ Name, ExpiresAt }) => `${Name} (expires: ${ExpiresAt ?? 'never'})`).join(', ')}.`
          : 'No usable key has scim:write as its only scope. Create one with an expiry, and enter its secret at the directory.',
    },
    {
      Step: 'contact',
      Passed: !!usedAt,
      Detail: usedAt
        ? `The directory sent a request at ${usedAt}.`
        : `The directory has not sent a request yet. Enter ${BaseURL} and the key's secret there, and start its connection test.`,
    },
    {
      Step: 'answers',
      Passed: !latest || latest.Status < 400,
      Detail: latest
        ? `${latest.Method} ${latest.Path} was answered with ${latest.Status}${latest.Status < 400 ? '.' : `: ${detailOf(latest.Answer)}`}`
        : 'The directory has only read so far.',
    },
    {
      Step: 'guard',
      Passed: StoppedAt === null,
      Detail:
        StoppedAt === null
          ? 'The guard has not stopped the sync.'
          : `The sync would disable more than ${GuardPercent} % of the users. Check the directory, then confirm with POST /provisioning/confirm.`,
    },
  ];
  const failing = steps.findIndex(({ Passed }) => !Passed);
  return { Passed: failing < 0, Steps: failing < 0 ? steps : steps.slice(0, failing + 1) };
}

/** The answer is one of SCIM's error bodies, cut off if it was very long. */
function detailOf(answer: string | null): string {
  try {
    return String((JSON.parse(answer ?? '') as { detail?: unknown }).detail);
  } catch {
    return 'The answer is in the log.';
  }
}
