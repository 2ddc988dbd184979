import { readClaimOwner } from './claims';
import { textSchema } from './zod-issues';

export const claimOwnerSchema = textSchema(readClaimOwner, {
  description: 'one line, 1 to 80 characters; name@n belongs to releases',
});
