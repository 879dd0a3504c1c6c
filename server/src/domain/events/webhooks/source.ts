import type { TenantContext } from '../../../infra/context/context.ts';
import { requireScope } from '../../../infra/context/scopes.ts';
import { invalid } from '../../../lib/errors.ts';
import type { WebhookRow } from './record.ts';
import type { NewWebhook, Replay, WebhookChange, WebhookKind } from './schemas.ts';
import type { Outcome, Sender } from './send.ts';

/** The type of a delivery of statements. */
export const statementType = 'xapi.statements';

const credentials = ['Username', 'Password', 'TokenURL', 'Scope'] as const;

/** Checks the fields that only one kind of endpoint has. */
export function checkKind(ctx: TenantContext, kind: WebhookKind, input: WebhookChange): void {
  if (kind === 'events') {
    for (const name of [...credentials, 'Actor'] as const)
      if (input[name] != null)
        throw invalid(name, `${name} is only for endpoints of the kinds xapi and results. Leave it out.`);
    return;
  }
  if (kind === 'lti') {
    for (const name of ['URL', 'Types', ...credentials, 'Actor'] as const)
      if (input[name] !== undefined)
        throw invalid(name, `${name} is set by the platform. Change it with PUT /platform/{PlatformID}.`);
    return;
  }
  if (kind === 'results')
    for (const scope of ['enrolments:read', 'users:read'] as const)
      requireScope(ctx, scope, 'Sending results to a learning suite');
  else requireScope(ctx, 'xapi:read', 'Sending statements to another LRS');
  if (kind === 'xapi' && input.Actor != null)
    throw invalid('Actor', 'Actor is only for endpoints of the kind results. Leave it out.');
  if (input.Types != null)
    throw invalid('Types', `Endpoints of the kind ${kind} have no Types. Leave Types out.`);
  if (input.Username === null) throw invalid('Username', 'Send the user name or the client ID.');
}

/** A new endpoint for statements or results needs credentials. */
export function checkNewKind(ctx: TenantContext, input: NewWebhook): void {
  const { Kind = 'events', ...fields } = input;
  checkKind(ctx, Kind, fields);
  if (Kind === 'events') return;
  for (const name of ['Username', 'Password'] as const)
    if (input[name] == null)
      throw invalid(name, `${name} is missing. Send the credentials for the receiver.`);
}

/** Deliveries of a lane are sent one after the other. */
export type NewDelivery = {
  event_id: string;
  type: string;
  lane: string;
  statement_ids?: readonly string[];
};

type LogPart = { deliveries: NewDelivery[]; position: number; hasMore: boolean };

type Sending = { endpoint: WebhookRow; sender: Sender; at: Date; stop: AbortSignal };

export type SendingDelivery = Sending & {
  delivery: { deliveryId: string; eventId: string; lane: string; isReplay: boolean };
  /**
   * Awaited before each additional request of the delivery, so that other endpoints do not have to wait for
   * all of them.
   */
  nextTurn: () => Promise<void>;
};

/**
 * Provides the data that endpoints of one kind receive. The module that owns the records implements
 * it, because this module may not read them.
 */
export type Source = {
  /** SQL condition that is true if the log has records after the position of the endpoint `hook`. */
  hasMore: string;
  /** SQL for the position at which a new endpoint of the tenant `$1` begins. */
  end: string;
  /** Called in the transaction that creates an endpoint, before the endpoint is inserted. */
  begin?: (ctx: TenantContext) => Promise<void>;
  /**
   * If true, a delivery is never abandoned. Instead, the endpoint is disabled and later continues
   * with this delivery.
   */
  keepsOrder: boolean;
  readLog: (ctx: TenantContext, input: { endpoint: WebhookRow; after: number }) => Promise<LogPart>;
  send: (ctx: TenantContext, input: SendingDelivery) => Promise<Outcome>;
  ping: (ctx: TenantContext, input: Sending & { eventId: string }) => Promise<Outcome>;
  /** Past records in the order of the log. The service function that calls it limits the deliveries. */
  findPast: (ctx: TenantContext, input: Replay & { endpoint: WebhookRow }) => Promise<NewDelivery[]>;
};

export type Sources = Readonly<Partial<Record<WebhookKind, Source>>>;

/** A dispatcher claims only endpoints of the kinds for which it has a source. */
export function sourceOf(sources: Sources, { kind }: Pick<WebhookRow, 'kind'>): Source {
  const source = sources[kind];
  if (!source) throw new Error(`There is no source for webhook endpoints of the kind ${kind}.`);
  return source;
}
