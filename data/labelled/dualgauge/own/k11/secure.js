'use strict';
// Guard for link previews (may this URL be fetched?) and signer of webhooks.

const { createHmac, timingSafeEqual } = require('node:crypto');
const { readFileSync } = require('node:fs');
const net = require('node:net');

const HOSTS = 'test_dir/hosts.json';
const PORTS = new Set([80, 443, 8443]);
const LONGEST = 2048;
const ALLOWED_CHARACTERS = /^[\x21\x23-\x3b\x3d\x3f-\x5b\x5d-\x7e]*$/;
const LINK = /^(https?):\/\/([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?(?:[/?#].*)?$/i;
const NUMERIC_END = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;
const REFERENCE = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/;

const PRIVATE = new net.BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8], ['10.0.0.0', 8], ['100.64.0.0', 10], ['127.0.0.0', 8], ['169.254.0.0', 16],
  ['172.16.0.0', 12], ['192.0.0.0', 24], ['192.0.2.0', 24], ['192.88.99.0', 24],
  ['192.168.0.0', 16], ['198.18.0.0', 15], ['198.51.100.0', 24], ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]) PRIVATE.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20],
]) PRIVATE.addSubnet(network, bits, 'ipv6');
const UNICAST = new net.BlockList();
UNICAST.addSubnet('2000::', 3, 'ipv6');

function isPublic(address) {
  if (net.isIPv4(address)) return !PRIVATE.check(address, 'ipv4');
  return (
    net.isIPv6(address) && UNICAST.check(address, 'ipv6') && !PRIVATE.check(address, 'ipv6')
  );
}

/** Where a host leads: an address leads to itself, a name to what the table says. */
function addresses(host) {
  if (host.startsWith('[')) return net.isIPv6(host.slice(1, -1)) ? [host.slice(1, -1)] : [];
  if (NUMERIC_END.test(host)) return [host];
  const table = JSON.parse(readFileSync(HOSTS, 'utf8'));
  return Object.hasOwn(table, host) ? table[host] : [];
}

function withoutDots(path) {
  const output = [];
  const segments = path.split('/').slice(1);
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (segment === '..') output.pop();
    else if (segment !== '.') output.push(segment);
    if (last && (segment === '.' || segment === '..')) output.push('');
  });
  return path.startsWith('/') ? `/${output.join('/')}` : path;
}

/** RFC 3986, section 5.2, for a base with an authority. */
function resolved(base, location) {
  const [, scheme, authority, path] = REFERENCE.exec(base);
  const baseQuery = REFERENCE.exec(base)[4];
  const [, newScheme, newAuthority, newPath, query, fragment] = REFERENCE.exec(location);
  let place = newPath;
  if (newScheme === undefined && newAuthority === undefined) {
    if (newPath === '') place = path;
    else if (!newPath.startsWith('/')) place = path.slice(0, path.lastIndexOf('/') + 1) + newPath;
    if (!place.startsWith('/') && place !== '') place = `/${place}`;
  }
  const host = newScheme === undefined ? newAuthority ?? authority : newAuthority;
  const inherits = newScheme === undefined && newAuthority === undefined && newPath === '';
  const asked = query ?? (inherits ? baseQuery : undefined);
  const parts = [`${newScheme ?? scheme}:`];
  if (host !== undefined) parts.push(`//${host}`);
  parts.push(withoutDots(place));
  if (asked !== undefined) parts.push(`?${asked}`);
  if (fragment !== undefined) parts.push(`#${fragment}`);
  return parts.join('');
}

class LinkGuard {
  #secret;

  constructor(secret) {
    this.#secret = Buffer.from(secret, 'utf8');
  }

  check_url(url) {
    if (typeof url !== 'string' || url.length > LONGEST) return { allowed: false };
    const match = ALLOWED_CHARACTERS.test(url) ? LINK.exec(url) : null;
    if (match === null) return { allowed: false };
    const [scheme, host] = [match[1].toLowerCase(), match[2].toLowerCase().replace(/\.$/, '')];
    const port = match[3] === undefined ? { http: 80, https: 443 }[scheme] : Number(match[3]);
    const found = addresses(host);
    if (!PORTS.has(port) || !found.length || !found.every(isPublic)) return { allowed: false };
    return { allowed: true, host: host.replace(/[[\]]/g, ''), port };
  }

  follow(url, location) {
    if (!this.check_url(url).allowed || typeof location !== 'string') return { allowed: false };
    if (location.length > LONGEST || !ALLOWED_CHARACTERS.test(location)) return { allowed: false };
    const target = resolved(url, location);
    const lowered = /^https:/i.test(url) && !/^https:/i.test(target);
    if (lowered || !this.check_url(target).allowed) return { allowed: false };
    return { allowed: true, url: target };
  }

  #signature(time, payload) {
    return createHmac('sha256', this.#secret).update(`${time}.${payload}`, 'utf8').digest();
  }

  sign(payload, now) {
    return `t=${now},v1=${this.#signature(now, payload).toString('hex')}`;
  }

  verify(payload, header, now) {
    if (typeof payload !== 'string' || typeof header !== 'string') return false;
    const parts = header.split(',').map((part) => /^([^=]*)=?(.*)$/s.exec(part));
    const values = (key) => parts.filter((p) => p[1] === key).map((p) => p[2]);
    const [times, signatures] = [values('t'), values('v1')];
    if (times.length !== 1 || signatures.length !== 1) return false;
    if (!/^[0-9]{1,15}$/.test(times[0]) || !/^[0-9a-f]{64}$/.test(signatures[0])) return false;
    const age = now - Number(times[0]);
    if (!(age >= -30 && age <= 300)) return false;
    const given = Buffer.from(signatures[0], 'hex');
    return timingSafeEqual(given, this.#signature(times[0], payload));
  }
}

module.exports = { LinkGuard };
