import type { TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { requireScope } from '../../platform/scopes.ts';
import type { NewWebhook, WebhookChange, WebhookKind } from './schemas.ts';

/** The type of a delivery of statements. */
export const statementType = 'xapi.statements';

const reject = (param: string, detail: string) => new Problem('validation_failed', detail, { param });

/** Checks the fields that only one kind of endpoint has. */
export function checkKind(ctx: TenantContext, kind: WebhookKind, input: WebhookChange): void {
  if (kind === 'events') {
    for (const name of ['Username', 'Password'] as const)
      if (input[name] != null)
        throw reject(name, `${name} is only for endpoints of the kind xapi. Leave it out.`);
    return;
  }
  requireScope(ctx, 'xapi:read', 'Sending statements to another LRS');
  if (input.Types != null)
    throw reject('Types', 'Endpoints of the kind xapi receive all statements. Leave Types out.');
  if (input.Username === null) throw reject('Username', 'Send the user name for the LRS.');
}

/** A new endpoint for statements needs credentials. */
export function checkNewKind(ctx: TenantContext, input: NewWebhook): void {
  const { Kind = 'events', ...fields } = input;
  checkKind(ctx, Kind, fields);
  if (Kind === 'events') return;
  for (const name of ['Username', 'Password'] as const)
    if (input[name] == null) throw reject(name, `${name} is missing. Send the credentials for the LRS.`);
}
