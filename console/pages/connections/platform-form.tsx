import { Select, TagsInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { notify } from '../../parts/toast.tsx';

export type Platform = components['schemas']['Platform'];

const modes = ['enrolments', 'users', 'off'] as const;
const names = ['Name', 'Issuer', 'ClientID', 'AuthURL', 'TokenURL', 'JWKSURL'] as const;
const empty = {
  Name: '',
  Issuer: '',
  ClientID: '',
  DeploymentIDs: [] as string[],
  AuthURL: '',
  TokenURL: '',
  JWKSURL: '',
  Members: 'enrolments' as Platform['Members'],
};
type Typed = typeof empty;

const typedOf = ({ Name, Issuer, ClientID, DeploymentIDs, Members, ...urls }: Typed): Typed => ({
  ...{ Name, Issuer, ClientID, DeploymentIDs, Members },
  ...{ AuthURL: urls.AuthURL, TokenURL: urls.TokenURL, JWKSURL: urls.JWKSURL },
});

type Props = { platform: Platform | null; isOpen: boolean; onClose: () => void };

/** Adds a platform, or changes it. */
export function PlatformDialog({ platform, isOpen, onClose }: Props) {
  const t = useTranslations('platforms');
  const { $api } = useApi();
  const queries = useQueryClient();
  const post = $api.useMutation('post', '/platform');
  const put = $api.useMutation('put', '/platform/{PlatformID}');
  const initial = () => (platform ? typedOf(platform) : empty);
  const [typed, setTyped] = useFormState(isOpen, initial);
  const set = (change: Partial<Typed>) => setTyped((held) => ({ ...held, ...change }));
  const submit = async () => {
    if (platform)
      await put.mutateAsync({ params: { path: { PlatformID: platform.PlatformID } }, body: typed });
    else await post.mutateAsync({ body: typed });
    await queries.invalidateQueries();
    notify(t('saved'));
  };
  const text = (name: (typeof names)[number]) => (
    <TextInput
      key={name}
      label={t(`fields.${name}`)}
      value={typed[name]}
      onChange={(event) => set({ [name]: event.currentTarget.value })}
      autoCapitalize="none"
      spellCheck={false}
      required
      withAsterisk={false}
    />
  );
  const [title, issuer, client, ...urls] = names.map(text);
  return (
    <FormDialog
      title={t(platform ? 'changeTitle' : 'addTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('save')}
      onSubmit={submit}
      isDirty={JSON.stringify(typed) !== JSON.stringify(initial())}
      missing={[...names, 'DeploymentIDs' as const].map(
        (name) => typed[name].length === 0 && t(`fields.${name}`),
      )}
      size="lg"
    >
      {title}
      {issuer}
      {client}
      <TagsInput
        label={t('fields.DeploymentIDs')}
        description={t('deploymentsText')}
        value={typed.DeploymentIDs}
        onChange={(DeploymentIDs) => set({ DeploymentIDs })}
        acceptValueOnBlur
      />
      {urls}
      <Select
        label={t('fields.Members')}
        description={t('membersText')}
        data={modes.map((value) => ({ value, label: t(`memberModes.${value}`) }))}
        value={typed.Members}
        onChange={(Members) => set({ Members: (Members ?? 'enrolments') as Typed['Members'] })}
        allowDeselect={false}
      />
    </FormDialog>
  );
}
