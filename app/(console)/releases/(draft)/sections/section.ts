import type { DraftDataset } from '@/lib/queries/draft';
import type { DraftForm } from '../draft-form';
import type { Errors } from '../errors';
import type { Preview } from '../preview';

/** What every section of the editor gets. */
export interface SectionProps {
  form: DraftForm;
  change: (part: Partial<DraftForm>) => void;
  errors: Errors;
  dataset: DraftDataset | undefined;
  preview: Preview | null;
}
