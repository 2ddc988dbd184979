export { authenticateToken, rolesOf } from './authenticate';
export { personOfIdentity } from './identity';
export { ensurePersona, ensurePersonas, isPersona, personas } from './personas';
export { setRoles } from './set-roles';
export { createToken, provisionToken, revokeToken } from './tokens';
