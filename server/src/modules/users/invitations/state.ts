import type { Invitation } from './schemas.ts';

/**
 * SQL for the status of an invitation `held` at the time `now`, with its user `account` and its
 * tenant `client`. A suspension revokes all earlier invitations, even after the suspension has
 * ended.
 */
export const statusSql = (now: string): string => `(case
  when held.accepted_at is not null then 'accepted'
  when held.revoked_at is not null or not account.enabled or client.status <> 'active'
    or client.resumed_at > held.created_at then 'revoked'
  when held.expires_at <= ${now} then 'expired'
  else 'pending' end)`;

export type InvitationRow = {
  invitation_id: string;
  login_id: string;
  status: Invitation['Status'];
  created_at: Date;
  expires_at: Date;
  accepted_at: Date | null;
};

export function toInvitation(row: InvitationRow): Invitation {
  return {
    InvitationID: row.invitation_id,
    LoginID: row.login_id,
    Status: row.status,
    CreatedAt: row.created_at.toISOString(),
    ExpiresAt: row.expires_at.toISOString(),
    AcceptedAt: row.accepted_at?.toISOString() ?? null,
  };
}
