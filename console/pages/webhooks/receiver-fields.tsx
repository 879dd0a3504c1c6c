import { PasswordInput, Radio, Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { choiceOf } from '../../parts/choices.ts';
import type { Endpoint } from './health.tsx';

/** What only endpoints of the kinds `xapi` and `results` have. */
export type ReceiverValues = {
  Kind: Endpoint['Kind'];
  Username: string;
  Password: string;
  TokenURL: string;
  Scope: string;
  Actor: NonNullable<Endpoint['Actor']>;
};

export const emptyReceiver: ReceiverValues = {
  Kind: 'events',
  Username: '',
  Password: '',
  TokenURL: '',
  Scope: '',
  Actor: 'email',
};

export const receiverOf = ({ Kind, Username, TokenURL, Scope, Actor }: Endpoint): ReceiverValues => ({
  Kind,
  Username: Username ?? '',
  Password: '',
  TokenURL: TokenURL ?? '',
  Scope: Scope ?? '',
  Actor: Actor ?? 'email',
});

export function receiverBody({ Kind, Password, ...typed }: ReceiverValues) {
  if (Kind !== 'xapi' && Kind !== 'results') return {};
  const TokenURL = typed.TokenURL.trim() || null;
  return {
    Username: typed.Username.trim(),
    ...(Password !== '' && { Password }),
    TokenURL,
    Scope: TokenURL && (typed.Scope.trim() || null),
    ...(Kind === 'results' && { Actor: typed.Actor }),
  };
}

export const newKinds = ['events', 'results', 'xapi'] as const satisfies readonly Endpoint['Kind'][];
const actors = ['email', 'account'] as const satisfies readonly ReceiverValues['Actor'][];

export type ReceiverProps = {
  typed: ReceiverValues;
  onChange: (change: Partial<ReceiverValues>) => void;
};

export function KindField({ typed, onChange }: ReceiverProps) {
  const t = useTranslations('webhooks');
  return (
    <Radio.Group
      label={t('kind')}
      value={typed.Kind}
      onChange={(chosen) => onChange({ Kind: choiceOf(newKinds, chosen) ?? 'events' })}
    >
      <Stack gap="xs" mt="xs">
        {newKinds.map((kind) => (
          <Radio key={kind} value={kind} label={t(`kinds.${kind}`)} description={t(`kindTexts.${kind}`)} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** The credentials for a learning suite or an LRS, and how people are named. */
export function ReceiverFields({ typed, onChange, isNew }: ReceiverProps & { isNew: boolean }) {
  const t = useTranslations('webhooks');
  const hasToken = typed.TokenURL.trim() !== '';
  const text = (name: 'TokenURL' | 'Username' | 'Scope', label: string) => ({
    label,
    autoCapitalize: 'none',
    autoComplete: 'off',
    spellCheck: false,
    value: typed[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      onChange({ [name]: value }),
  });
  return (
    <>
      <TextInput {...text('TokenURL', t('tokenUrl'))} description={t('tokenUrlText')} type="url" />
      <TextInput {...text('Username', t(hasToken ? 'clientId' : 'username'))} required maxLength={255} />
      <PasswordInput
        label={t(hasToken ? 'clientSecret' : 'password')}
        {...(!isNew && { description: t('passwordText') })}
        required={isNew}
        maxLength={1024}
        autoComplete="new-password"
        value={typed.Password}
        onChange={(event) => onChange({ Password: event.currentTarget.value })}
      />
      {hasToken && (
        <TextInput {...text('Scope', t('scope'))} description={t('scopeText')} placeholder="xapi:write" />
      )}
      {typed.Kind === 'results' && (
        <Radio.Group
          label={t('actor')}
          value={typed.Actor}
          onChange={(chosen) => onChange({ Actor: choiceOf(actors, chosen) ?? 'email' })}
        >
          <Stack gap="xs" mt="xs">
            {actors.map((actor) => (
              <Radio
                key={actor}
                value={actor}
                label={t(`actors.${actor}`)}
                description={t(`actorTexts.${actor}`)}
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </>
  );
}
