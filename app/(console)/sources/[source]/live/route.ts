import { pageData } from '@/lib/web/page-data';
import { readSource } from '../read';

export const GET = pageData('source.read', ({ db, params }) => readSource(db, params.source ?? ''));
