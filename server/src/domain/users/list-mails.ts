import type { Condition } from '../../db/page.ts';
import { type PageQuery, pageById } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { type BounceKind, Mail, type MailKind, type MailStatus } from '../mail/kinds.ts';
import { findUserId } from './users.ts';

type Filter = PageQuery & { Count?: boolean; Status?: MailStatus; LoginID?: string };

export type MailRow = {
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
  const { Status, LoginID } = input;
  const where: Condition[] = [];
  if (LoginID !== undefined) {
    const userId = await findUserId(ctx, LoginID);
    where.push(({ add }) => `held.user_id = ${add(userId)}::uuid`);
  }
  if (Status !== undefined) where.push(({ add }) => `held.status = ${add(Status)}`);
  // This is a subquery, because the planner would read all users for a join.
  const show = (page: string) => `select held.*, (${loginIdSql}) as login_id from (${page}) held`;
  const list = { table: 'mail', key: 'mail_id', where, newest: true, show } as const;
  return pageById<MailRow, Mail>(ctx, input, list, toMail);
}

export function toMail(row: MailRow): Mail {
  return recordOf(Mail, row, { NextAttemptAt: row.status === 'queued' ? row.due_at.toISOString() : null });
}
