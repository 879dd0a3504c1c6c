import { useTranslations } from 'use-intl';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { AttentionList } from './attention-list.tsx';
import { useMatters } from './use-matters.ts';

export function Attention() {
  const t = useTranslations('home');
  const { matters, error, isPending, refetch } = useMatters();
  if (error) return <Failed error={error} onRetry={refetch} />;
  if (isPending) return <WaitingRows rows={2} />;
  return <AttentionList title={t('needsAttention')} matters={matters} well={t('allWell')} />;
}
