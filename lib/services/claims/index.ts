export { type ClaimAnswer, type ClaimsView, claim, claimsView, releaseClaims } from './claim';
