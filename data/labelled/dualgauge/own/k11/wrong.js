// A careful guard that keeps the dot at the end of a host and accepts nothing of the future.

const { createHmac, timingSafeEqual } = require('crypto');
const { readFileSync } = require('fs');
const { isIPv4, isIPv6 } = require('net');

const HOSTS = 'test_dir/hosts.json';
const table = () => new Map(Object.entries(JSON.parse(readFileSync(HOSTS, 'utf8'))));

function clean(text) {
  if (typeof text !== 'string' || text.length > 2048) return false;
  return /^[!-~]*$/.test(text) && !/["<>\\]/.test(text);
}

/** The first 32 bits of an IPv4 address as a number. */
const number = (address) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const CLOSED = [
  ['0.0.0.0', '0.255.255.255'], ['10.0.0.0', '10.255.255.255'], ['100.64.0.0', '100.127.255.255'],
  ['127.0.0.0', '127.255.255.255'], ['169.254.0.0', '169.254.255.255'],
  ['172.16.0.0', '172.31.255.255'], ['192.0.0.0', '192.0.0.255'], ['192.0.2.0', '192.0.2.255'],
  ['192.88.99.0', '192.88.99.255'], ['192.168.0.0', '192.168.255.255'],
  ['198.18.0.0', '198.19.255.255'], ['198.51.100.0', '198.51.100.255'],
  ['203.0.113.0', '203.0.113.255'], ['224.0.0.0', '255.255.255.255'],
].map((pair) => pair.map(number));

function open4(address) {
  const n = number(address);
  return CLOSED.every(([low, high]) => n < low || n > high);
}

/** Only 2000::/3 without the ranges for tunnels, documentation and protocols. */
function open6(address) {
  const groups = address.toLowerCase().split(':').map((group) => parseInt(group || '0', 16));
  const [first, second] = groups;
  if (first < 0x2000 || first > 0x3fff || first === 0x2002) return false;
  return !(first === 0x2001 && (second < 0x200 || second === 0xdb8)) && first !== 0x3fff;
}

const isOpen = (address) => (isIPv4(address) ? open4(address) : isIPv6(address) && open6(address));

class LinkGuard {
  constructor(secret) {
    this.key = secret;
  }

  reach(host) {
    if (host.startsWith('[')) return isIPv6(host.slice(1, -1)) ? [host.slice(1, -1)] : [];
    if (isIPv4(host)) return [host];
    return table().get(host.replace(/\.$/, '')) ?? [];
  }

  check_url(url) {
    const refused = { allowed: false };
    if (!clean(url)) return refused;
    const parts = /^(https?):\/\/(\[[^\]]*\]|[a-z0-9.-]+)(:\d{1,5})?([/?#].*)?$/i.exec(url);
    if (!parts) return refused;
    const host = parts[2].toLowerCase();
    const port = parts[3] ? Number(parts[3].slice(1)) : parts[1].length === 5 ? 443 : 80;
    const found = this.reach(host);
    const allowed = [80, 443, 8443].includes(port) && found.length > 0 && found.every(isOpen);
    return allowed ? { allowed, host: host.replace(/^\[|\]$/g, ''), port } : refused;
  }

  follow(url, location) {
    const refused = { allowed: false };
    if (!clean(location) || !this.check_url(url).allowed) return refused;
    if (!URL.canParse(location, url)) return refused;
    const target = new URL(location, url);
    if (/^https/i.test(url) && target.protocol !== 'https:') return refused;
    return this.check_url(target.href).allowed ? { allowed: true, url: target.href } : refused;
  }

  digest(text) {
    return createHmac('sha256', this.key).update(text).digest();
  }

  sign(payload, now) {
    return `t=${now},v1=${this.digest(`${now}.${payload}`).toString('hex')}`;
  }

  verify(payload, header, now) {
    if (typeof payload !== 'string' || typeof header !== 'string') return false;
    const found = { t: [], v1: [] };
    for (const part of header.split(',')) {
      const cut = part.indexOf('=');
      const key = part.slice(0, Math.max(cut, 0));
      if (key === 't' || key === 'v1') found[key].push(part.slice(cut + 1));
    }
    const [time, signature] = [found.t[0], found.v1[0]];
    if (found.t.length !== 1 || found.v1.length !== 1) return false;
    if (!/^[0-9]{1,14}$/.test(time) || !/^[0-9a-f]{64}$/.test(signature)) return false;
    if (Number(time) > now || Number(time) < now - 300) return false;
    return timingSafeEqual(this.digest(`${time}.${payload}`), Buffer.from(signature, 'hex'));
  }
}

exports.LinkGuard = LinkGuard;
