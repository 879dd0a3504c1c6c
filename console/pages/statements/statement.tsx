import { Anchor, Button, Code, Group, Modal, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { Json } from '../../parts/json.tsx';
import { Copyable, CopyTextButton, Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { ListedUser } from '../users/person.tsx';
import { loginIdOf, nameOfActor, type Statement } from './record.ts';
import { Sentence } from './sentence.tsx';

export type Narrowing = { learner?: string | undefined; verb?: string; activity?: string | undefined };

type Props = {
  statement: Statement | null;
  onClose: () => void;
  /** Shows only statements that have this value in common with the open one. */
  onNarrow: (to: Narrowing) => void;
};

/** Shows one complete statement. */
export function StatementDialog({ statement, onClose, onNarrow }: Props) {
  const t = useTranslations('statements');
  return (
    <Modal
      opened={statement !== null}
      onClose={onClose}
      title={t('statement')}
      size="xl"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {statement && (
        <Stack>
          <Sentence statement={statement} />
          <StatementFields statement={statement} />
          <Narrow statement={statement} onNarrow={onNarrow} />
          <Stack gap="xs">
            <Title order={3} size="h5">
              {t('json')}
            </Title>
            <Json value={statement} label={t('json')} />
            <Group>
              <CopyTextButton value={JSON.stringify(statement, null, 2)} text={t('copyJson')} />
            </Group>
          </Stack>
        </Stack>
      )}
    </Modal>
  );
}

function StatementFields({ statement }: { statement: Statement }) {
  const t = useTranslations('statements');
  const { actor, verb, object, result, context, id = '' } = statement;
  const loginId = loginIdOf(actor);
  const enrollId = context?.registration;
  return (
    <LabelledValues>
      <LabelledValue label={t('person')}>
        {loginId === null ? nameOfActor(actor) : <ListedUser loginId={loginId} />}
      </LabelledValue>
      <LabelledValue label={t('verb')}>
        <Code className="break">{verb.id}</Code>
      </LabelledValue>
      {object.id !== undefined && (
        <LabelledValue label={t('object')}>
          <Code className="break">{object.id}</Code>
        </LabelledValue>
      )}
      {result?.response !== undefined && (
        <LabelledValue label={t('response')}>{result.response}</LabelledValue>
      )}
      {loginId !== null && enrollId !== undefined && (
        <LabelledValue label={t('enrolment')}>
          <Anchor
            renderRoot={(props) => (
              <Link to="/console/enrolments/$loginId/$enrollId" params={{ loginId, enrollId }} {...props} />
            )}
          >
            {t('openEnrolment')}
          </Anchor>
        </LabelledValue>
      )}
      <LabelledValue label={t('at')}>
        <Instant at={statement.timestamp} />
      </LabelledValue>
      <LabelledValue label={t('stored')}>
        <Instant at={statement.stored} />
      </LabelledValue>
      <LabelledValue label={t('id')}>
        <Copyable value={id} label={t('id')} />
      </LabelledValue>
    </LabelledValues>
  );
}

function Narrow({ statement, onNarrow }: { statement: Statement } & Pick<Props, 'onNarrow'>) {
  const t = useTranslations('statements');
  const { actor, verb, object } = statement;
  const loginId = loginIdOf(actor);
  const isActivity = (object.objectType ?? 'Activity') === 'Activity';
  return (
    <Group gap="xs">
      {loginId !== null && (
        <Button variant="default" size="compact-sm" onClick={() => onNarrow({ learner: loginId })}>
          {t('onlyPerson')}
        </Button>
      )}
      <Button variant="default" size="compact-sm" onClick={() => onNarrow({ verb: verb.id })}>
        {t('onlyVerb')}
      </Button>
      {isActivity && (
        <Button variant="default" size="compact-sm" onClick={() => onNarrow({ activity: object.id })}>
          {t('onlyActivity')}
        </Button>
      )}
    </Group>
  );
}
