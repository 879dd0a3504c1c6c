import { deleteOwn, ownRows } from '../../../db/own-rows.ts';
import { batchOf, type PersonalData } from '../../../infra/context/personal-data.ts';
import { endResets } from '../end-links.ts';

/**
 * Each user has at most one invitation. An erasure closes the account first, so the invitation's links no
 * longer work afterwards.
 */
export const invitationData: PersonalData = {
  name: 'Invitations',
  tables: ['invitation', 'password_reset'],
  erased: 'The newest invitation to set a password, and password resets, with the hashes of their links.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    await endResets(ctx, [userId]);
    const erased = await deleteOwn(ctx, 'invitation', { user_id: userId })
      .returning('invitation_id')
      .execute();
    return batchOf(erased.length);
  },
  count: async (ctx, { userId }) => {
    const found = await ownRows(ctx, 'invitation', { user_id: userId })
      .select('invitation_id')
      .executeTakeFirst();
    return found ? 1 : 0;
  },
  read: async function* (ctx, { userId }) {
    const row = await ownRows(ctx, 'invitation', { user_id: userId })
      .select(['invitation_id', 'created_at', 'expires_at', 'accepted_at', 'revoked_at'])
      .executeTakeFirst();
    if (row)
      yield {
        InvitationID: row.invitation_id,
        CreatedAt: row.created_at,
        ExpiresAt: row.expires_at,
        AcceptedAt: row.accepted_at,
        RevokedAt: row.revoked_at,
      };
  },
};
