import { serve } from '@/lib/web/api/serve';

export const dynamic = 'force-dynamic';

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve('/reports/{id}/end');
