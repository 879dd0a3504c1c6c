import type { TenantContext } from '../../platform/context.ts';
import { countRows } from '../../platform/db/list-count.ts';
import { type List, scanRows } from '../../platform/db/list-scan.ts';
import type { Parameters } from '../../platform/db/parameters.ts';
import {
  foreignCursor,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
  withCount,
} from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import type { BounceKind, MailKind, MailStatus } from '../mail/kinds.ts';
import type { Mail } from '../mail/schemas.ts';
import { findUserId } from './users.ts';

type Filter = PageQuery & { Count?: boolean; Status?: MailStatus; LoginID?: string };

type Row = {
  mail_id: string;
  login_id: string;
  kind: MailKind;
  address: string;
  status: MailStatus;
  attempts: number;
  answer: string | null;
  created_at: Date;
  attempted_at: Date | null;
  due_at: Date;
  bounced_at: Date | null;
  bounce_kind: BounceKind | null;
  bounce_reason: string | null;
};

const loginIdSql = `select account.login_id from "user" account
  where account.tenant_id = $1 and account.user_id = held.user_id`;

/** The emails to users, newest first. */
export async function listMails(ctx: TenantContext, input: Filter) {
  const limit = pageLimit(input);
  const before = readCursor(input);
  if (before !== null && !isId(before)) throw foreignCursor();
  const { Status, LoginID } = input;
  const userId = LoginID === undefined ? undefined : await findUserId(ctx, LoginID);
  if (userId === null)
    return withCount(
      input,
      toPage<Row, Mail>([], limit, ({ mail_id }) => mail_id, toMail, null),
      async () => ({
        Records: 0,
        More: false,
      }),
    );
  const conditions: ((parameters: Parameters) => string)[] = [];
  if (userId !== undefined) conditions.push(({ add }) => `held.user_id = ${add(userId)}::uuid`);
  if (Status !== undefined) conditions.push(({ add }) => `held.status = ${add(Status)}`);
  const all = (parameters: Parameters) =>
    ['true', ...conditions.map((condition) => condition(parameters))].join(' and ');
  const list: List = {
    rows: 'mail held where held.tenant_id = $1',
    values: [ctx.tenantId],
    key: ['mail_id'],
    after: before === null ? null : [before],
    newest: true,
    accessPaths:
      conditions.length > 0
        ? conditions.map((condition) => (parameters) => ({ ranges: [condition(parameters)] }))
        : [() => ({ ranges: ['true'] })],
    filter: all,
    // This is a subquery, because the planner would read all users for a join.
    show: (page) => `select held.*, (${loginIdSql}) as login_id from (${page}) held`,
    wanted: limit,
  };
  const { rows, end } = await scanRows<Row>(ctx, list);
  const page = toPage(rows, limit, ({ mail_id }) => mail_id, toMail, end);
  return withCount(input, page, () => countRows(ctx, list));
}

function toMail(row: Row): Mail {
  return {
    MailID: row.mail_id,
    LoginID: row.login_id,
    Kind: row.kind,
    Address: row.address,
    Status: row.status,
    Attempts: row.attempts,
    Answer: row.answer,
    CreatedAt: row.created_at.toISOString(),
    AttemptedAt: row.attempted_at?.toISOString() ?? null,
    NextAttemptAt: row.status === 'queued' ? row.due_at.toISOString() : null,
    BouncedAt: row.bounced_at?.toISOString() ?? null,
    BounceKind: row.bounce_kind,
    BounceReason: row.bounce_reason,
  };
}
