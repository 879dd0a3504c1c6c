import Type from 'typebox';
import { Fields, Instant, Nullable, OneOf, Text } from '../../platform/schema.ts';
import { CourseID, DurationID } from '../catalogue/schemas.ts';
import { EnrollID, Enrolment, EnrolRequest } from '../enrolments/schemas.ts';
import { LoginID } from '../users/schemas.ts';

export const keyStatuses = ['available', 'scheduled', 'redeemed', 'expired', 'revoked'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/** What a person types: hyphens, spaces and letter case do not matter. */
export const TypedKey = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'The key as it was typed: letter case, hyphens and spaces do not matter; O is 0, I and L are 1.',
});

const Courses = {
  CourseIDs: Type.Array(CourseID, {
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    description: 'The courses on which the key enrols, all at once.',
  }),
  DurationIDs: Type.Array(DurationID, {
    minItems: 1,
    maxItems: 50,
    description: 'The enrolment option of each course, in the order of CourseIDs.',
  }),
};

const Group = Nullable(
  Text(255, {
    description:
      'Who redeems the key gets this GroupName if they have none; who has another cannot redeem it. null: any group.',
  }),
);
const PurchaseOrder = Nullable(Text(255, { description: 'The order with which the keys were bought.' }));

const common = {
  KeyID: Type.String({ description: 'Names the key without giving it away. Opaque.' }),
  KeyStart: Type.String({ description: 'The first characters of the key, by which people recognise it.' }),
  ...Courses,
  Status: OneOf(keyStatuses, { description: 'scheduled: valid from a later time on.' }),
  LoginID: Nullable(LoginID),
  Group,
  PurchaseOrder,
  ValidFrom: Instant(),
  ValidUntil: Instant(),
  CreatedAt: Instant(),
  RevokedAt: Nullable(Instant()),
  RedeemedAt: Nullable(Instant()),
  RedeemedBy: Nullable(LoginID),
  EnrollIDs: Type.Array(EnrollID, { description: 'What it was redeemed for.' }),
};

export const EnrolmentKey = Fields(common, { title: 'EnrolmentKey' });
export type EnrolmentKey = Type.Static<typeof EnrolmentKey>;

export const NewEnrolmentKeys = Fields(
  {
    ...Courses,
    Quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1 })),
    LoginID: Type.Optional(Nullable({ ...LoginID, description: 'Only this user may redeem the keys.' })),
    Group: Type.Optional(Group),
    PurchaseOrder: Type.Optional(PurchaseOrder),
    ValidFrom: Type.Optional(Nullable(Instant('From then on it can be redeemed. By default at once.'))),
    ValidUntil: Type.Optional(
      Nullable(Instant('Until then it can be redeemed. By default for one year from ValidFrom.')),
    ),
  },
  { title: 'NewEnrolmentKeys' },
);
export type NewEnrolmentKeys = Type.Static<typeof NewEnrolmentKeys>;

export const IssuedKeys = Fields(
  {
    Items: Type.Array(
      Fields({
        ...common,
        Key: Type.String({ description: 'Shown this once: give it to the learner.' }),
      }),
    ),
  },
  { title: 'IssuedEnrolmentKeys' },
);
export type IssuedKeys = Type.Static<typeof IssuedKeys>;

export const KeyRedemption = Fields(
  { IfEnrolled: EnrolRequest.properties.IfEnrolled },
  { title: 'KeyRedemption' },
);
export type KeyRedemption = Type.Static<typeof KeyRedemption>;

export const RedeemedKey = Fields(
  {
    KeyID: common.KeyID,
    RedeemedAt: Instant(),
    Enrolments: Type.Array(Enrolment, { description: 'In the order of CourseIDs.' }),
  },
  { title: 'RedeemedEnrolmentKey' },
);
export type RedeemedKey = Type.Static<typeof RedeemedKey>;
