import Type from 'typebox';
import { orderQuery, pageQuery } from '../../http/pagination.ts';
import { Fields, Identifier, Instant, Nullable, OneOf, Text } from '../../http/validation/schema.ts';
import { actorKinds } from '../../infra/context/context.ts';
import { auditActions, auditCatalogue, targetKinds } from './actions.ts';

const Action = OneOf(auditActions, {
  title: 'AuditAction',
  description: auditActions.map((action) => `${action}: ${auditCatalogue[action][0]}`).join(' '),
});

export const AuditEntry = Fields(
  {
    AuditID: Type.String({ format: 'uuid' }),
    TenantID: Nullable(
      Type.String({ description: "The tenant that the trail belongs to; null for the deployment's trail." }),
    ),
    Number: Type.Integer({ description: 'Number of the entry in its trail: 1, 2, 3, without gaps.' }),
    At: Instant(),
    Action,
    Actor: OneOf(actorKinds, {
      title: 'ActorKind',
      description:
        'Who performed the action: an API key, a signed-in user, the command line, the service itself, or an anonymous caller, such as somebody who tried to sign in.',
    }),
    ActorID: Nullable(Type.String({ description: 'ID of the key or session.' })),
    ActorName: Nullable(
      Type.String({
        description: 'Name of the key, or LoginID; null if there is none or the user has been erased.',
      }),
    ),
    Address: Nullable(Type.String({ description: 'IP address; not recorded for learners.' })),
    RequestID: Nullable(Type.String({ description: 'The request_id of the request log.' })),
    Target: Nullable(OneOf(targetKinds, { title: 'AuditTarget', description: 'What was changed.' })),
    TargetID: Nullable(Type.String()),
    TargetName: Nullable(
      Type.String({
        description:
          'LoginID of the user (even if the target is an enrolment) or name of the key; null if there is none or the user has been erased.',
      }),
    ),
    Data: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description:
        'Names of the changed fields, and values that are not sensitive. The fields depend on Action, and more may be added later.',
    }),
    Hash: Type.String({
      description: 'SHA-256 of this entry and the previous hash. `lectern audit verify` checks the chain.',
    }),
  },
  { title: 'AuditEntry', description: 'A record of who changed access, people, results or the catalogue.' },
);
export type AuditEntry = Type.Static<typeof AuditEntry>;

export const auditQuery = Fields({
  ...pageQuery,
  ...orderQuery,
  Action: Type.Optional(OneOf(auditActions, { title: 'AuditAction' })),
  ActorID: Type.Optional(Type.String({ format: 'uuid', description: 'ID of a key or session.' })),
  LoginID: Type.Optional(
    Identifier(
      'LoginID of the user who acted or was affected; includes entries about their enrolments. The operator must also send the Tenant header.',
    ),
  ),
  TargetID: Type.Optional(
    Text(255, {
      minLength: 1,
      description: 'ID of the changed object, such as an EnrollID, KeyID or CourseID.',
    }),
  ),
  After: Type.Optional(Instant('Entries from this time on.')),
  Before: Type.Optional(Instant('Entries before this time.')),
});
export type AuditQuery = Type.Static<typeof auditQuery>;
