import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { EditedRows, RowButtons } from '../../parts/edited-rows.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { Copyable, Instant, LabelledValue, Note } from '../../parts/values.tsx';
import { type Tool, ToolDialog } from './tool-form.tsx';

const registered = ['Issuer', 'ClientID', 'DeploymentID', 'AuthURL', 'TokenURL', 'JWKSURL'] as const;

/** The courses that are tools of other providers. */
export function Tools() {
  const t = useTranslations('platforms.tools');
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/tool');
  return (
    <EditedRows
      asked={asked}
      texts={{
        title: t('title'),
        text: t('text'),
        add: t('add'),
        emptyTitle: t('emptyTitle'),
        emptyText: t('emptyText'),
      }}
      icon={<IconTool size={36} stroke={1.5} aria-hidden />}
      row={(one, onEdit) => <ToolRow key={one.CourseID} tool={one} onEdit={onEdit} />}
      dialog={(tool, isOpen, onClose) => <ToolDialog tool={tool} isOpen={isOpen} onClose={onClose} />}
    />
  );
}

function ToolRow({ tool, onEdit }: { tool: Tool; onEdit: () => void }) {
  const t = useTranslations('platforms.tools');
  const { $api } = useApi();
  const { CourseID, Title, TargetLinkURI, Registration, LastProblem } = tool;
  const params = { path: { CourseID } };
  const remove = $api.useMutation('delete', '/course/{CourseID}/tool');
  const link = $api.useMutation('post', '/course/{CourseID}/tool/content');
  const [showsValues, setShowsValues] = useState(false);
  const choosing = useAction(async () => {
    const { ContentURL } = await link.mutateAsync({ params });
    window.open(ContentURL, '_blank', 'noopener');
  });
  return (
    <Stack gap="xs" role="group" aria-label={Title}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Text fw={600}>{Title}</Text>
          <Note>{[CourseID, TargetLinkURI].join(' · ')}</Note>
        </div>
        <Group gap="xs">
          <Button variant="default" onClick={() => void choosing.run()} loading={choosing.isRunning}>
            {t('choose')}
          </Button>
          <Button variant="default" onClick={() => setShowsValues(!showsValues)} aria-expanded={showsValues}>
            {t(showsValues ? 'hideValues' : 'values')}
          </Button>
          <RowButtons onEdit={onEdit} remove={() => remove.mutateAsync({ params })} texts={t} />
        </Group>
      </Group>
      <FailedAction error={choosing.error} />
      {LastProblem && (
        <Alert color="orange" title={t(`problems.${LastProblem.Request}`)}>
          <span className="break" lang="en">
            {LastProblem.Detail}
          </span>
          <Note>
            <Instant at={LastProblem.At} />
          </Note>
        </Alert>
      )}
      {showsValues && (
        <>
          <Text size="sm">{t('valuesText')}</Text>
          <Stack component="dl" gap="sm" m={0}>
            {registered.map((name) => (
              <LabelledValue key={name} label={t(`registration.${name}`)}>
                <Copyable value={Registration[name]} label={t(`registration.${name}`)} />
              </LabelledValue>
            ))}
          </Stack>
        </>
      )}
    </Stack>
  );
}
