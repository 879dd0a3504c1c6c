import { ChangePassword } from './change-password.tsx';

/** The page to which learners come from their own pages, and go back. */
export default function Password() {
  return <ChangePassword onClose={() => location.assign('/console')} />;
}
