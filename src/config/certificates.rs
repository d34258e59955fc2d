//! Certificates that an operator gives: PEM, or base64 of PEM, one or several.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

const BEGIN: &str = "-----BEGIN CERTIFICATE-----";
const END: &str = "-----END CERTIFICATE-----";

/// The PEM text, or what is wrong with it.
pub(super) fn read(text: &str) -> Result<String, String> {
    let pem = if text.contains(BEGIN) { text.to_owned() } else { decode(text)? };
    let mut count = 0;
    let mut rest = pem.as_str();
    while let Some((_, after)) = rest.split_once(BEGIN) {
        let (body, after) =
            after.split_once(END).ok_or_else(|| format!("certificate {} has no end", count + 1))?;
        let compact: String = body.split_whitespace().collect();
        let certificate = BASE64_STANDARD.decode(compact).ok().filter(|der| der.first() == Some(&0x30));
        certificate.ok_or_else(|| {
            format!("what stands between BEGIN and END of certificate {} is none", count + 1)
        })?;
        count += 1;
        rest = after;
    }
    if count == 0 {
        return Err(format!("expected certificates in PEM ({BEGIN} …) or base64 of such a text"));
    }
    Ok(pem)
}

fn decode(text: &str) -> Result<String, String> {
    let compact: String = text.split_whitespace().collect();
    let bytes = BASE64_STANDARD.decode(compact).ok();
    bytes
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| format!("expected certificates in PEM ({BEGIN} …) or base64 of such a text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pem() -> String {
        format!("{BEGIN}\n{}\n{END}\n", BASE64_STANDARD.encode([0x30, 0x03, 1, 2, 3]))
    }

    #[test]
    fn pem_and_base64_of_pem_are_taken_one_or_several() {
        for text in [
            pem(),
            pem() + &pem(),
            BASE64_STANDARD.encode(pem()),
            format!("  {}  ", BASE64_STANDARD.encode(pem())),
        ] {
            assert!(read(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        let cut = pem().replace(END, "");
        let garbage = format!("{BEGIN}\nhello\n{END}");
        for text in ["", "hello", &BASE64_STANDARD.encode("hello"), &cut, &garbage, &(pem() + &garbage)] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
