import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { RequirementForm } from './form.tsx';

/** A new requirement, or the one that the URL names. */
export default function EditRequirement() {
  const t = useTranslations('requirements');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const [{ id }] = useFilters(['id']);
  const asked = $api.useQuery(
    'get',
    '/requirement/{RequirementID}',
    { params: { path: { RequirementID: id ?? '' } } },
    { enabled: id !== undefined },
  );
  const content = () => {
    if (id === undefined) return <RequirementForm key="new" requirement={null} />;
    if (asked.data) return <RequirementForm key={id + asked.data.UpdatedAt} requirement={asked.data} />;
    return asked.error ? <Failed error={asked.error} onRetry={asked.refetch} /> : <WaitingRows />;
  };
  return (
    <Page
      title={asked.data?.Title ?? t('createTitle')}
      back={{ to: '/console/requirements', text: shell('menu.requirements') }}
    >
      {content()}
    </Page>
  );
}
