import Type from 'typebox';
import { run } from '../../../db/transaction.ts';
import { Fields, Instant, Nullable, Text } from '../../../http/validation/schema.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { asService } from '../../../infra/context/scopes.ts';
import { readPlatform } from '../platforms.ts';
import { syncPlatform } from './sync.ts';

const maxContexts = 200;

export const Roster = Fields(
  {
    ReadAt: Nullable(Instant('When the members were read last.')),
    ImportID: Nullable(
      Type.String({
        description:
          'The latest import that changed something. Read, apply or undo it like any other import; it is deleted after 30 days.',
      }),
    ),
    Waiting: Type.Boolean({
      description:
        'Whether that import waits for `POST /import/{ImportID}/apply`, because it would disable more than a tenth of the members.',
    }),
    Contexts: Type.Array(
      Fields(
        {
          ContextID: Text(255, { description: "The platform's ID of the course." }),
          Title: Nullable(Type.String()),
          Members: Nullable(
            Type.Integer({ minimum: 0, description: 'Active learners; null if they were never read.' }),
          ),
          ReadAt: Nullable(Instant('When the members were requested last.')),
          Problem: Nullable(
            Type.String({
              description: 'Why they could not be read, and what to do. Nobody is changed then.',
            }),
          ),
        },
        { title: 'PlatformContext' },
      ),
      {
        description: `Courses in the platform from which this service was opened: those with problems first, at most ${maxContexts}.`,
      },
    ),
  },
  { title: 'PlatformRoster', description: 'What is known about the members of courses in a platform.' },
);
export type Roster = Type.Static<typeof Roster>;

type Row = {
  context_id: string;
  title: string | null;
  members: number | null;
  read_at: Date | null;
  problem: string | null;
};

const listContexts = `
select context_id, title, members, read_at, problem from lti_context where tenant_id = $1 and platform_id = $2
order by problem is null, title, context_id limit ${maxContexts}`;

const findState = `
select held.synced_at, own.import_id, coalesce(own.status = 'planned', false) as waiting from lti_platform held
left join import own on own.tenant_id = $1 and own.import_id = held.import_id
where held.tenant_id = $1 and held.platform_id = $2`;

export async function readRoster(ctx: TenantContext, input: { platformId: string }): Promise<Roster> {
  const { PlatformID } = await readPlatform(ctx, input);
  const values = [ctx.tenantId, PlatformID];
  const [state] = await run<{ synced_at: Date | null; import_id: string | null; waiting: boolean }>(
    ctx,
    findState,
    values,
  );
  const contexts = await run<Row>(ctx, listContexts, values);
  return {
    ReadAt: state?.synced_at?.toISOString() ?? null,
    ImportID: state?.import_id ?? null,
    Waiting: state?.waiting ?? false,
    Contexts: contexts.map((row) => ({
      ContextID: row.context_id,
      Title: row.title,
      Members: row.members,
      ReadAt: row.read_at?.toISOString() ?? null,
      Problem: row.problem,
    })),
  };
}

/** Reads the members now instead of at night. */
export async function syncNow(ctx: TenantContext, input: { platformId: string }): Promise<void> {
  const { PlatformID } = await readPlatform(ctx, input);
  await syncPlatform(asService(ctx), PlatformID);
}
