import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.CallbackHandler;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.ws.security.WSConstants;
import org.apache.ws.security.WSEncryptionPart;
import org.apache.ws.security.WSPasswordCallback;
import org.apache.ws.security.WSSConfig;
import org.apache.ws.security.WSSecurityEngine;
import org.apache.ws.security.WSSecurityEngineResult;
import org.apache.ws.security.components.crypto.Crypto;
import org.apache.ws.security.components.crypto.Merlin;
import org.apache.ws.security.conversation.ConversationConstants;
import org.apache.ws.security.message.WSSecDKEncrypt;
import org.apache.ws.security.message.WSSecDKSign;
import org.apache.ws.security.message.WSSecDerivedKeyBase;
import org.apache.ws.security.message.WSSecEncrypt;
import org.apache.ws.security.message.WSSecEncryptedKey;
import org.apache.ws.security.message.WSSecHeader;
import org.apache.ws.security.message.WSSecSignature;
import org.apache.ws.security.message.WSSecTimestamp;
import org.apache.ws.security.message.WSSecUsernameToken;
import org.apache.ws.security.message.token.SecurityTokenReference;
import org.w3c.dom.Document;

/**
 * A service that secures and verifies messages with WSS4J. Arguments: its key (PKCS #12), the password, and
 * the certificate of the client. Each line of the input is a request: words and the message in Base64. Each
 * line of the output is "ok" with the message in Base64 and the actions that were verified, or "error".
 */
public class Peer {
    private static final String SOAP = "http://schemas.xmlsoap.org/soap/envelope/";
    private static final String MESSAGE_SECURITY11 =
        "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#";

    private final Crypto crypto;
    private final String password;
    private byte[] secret = new byte[0];
    private String secretName = "";

    private Peer(String file, String password, String certificate) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(new FileInputStream(file), password.toCharArray());
        keys.setCertificateEntry("client",
            CertificateFactory.getInstance("X.509").generateCertificate(new FileInputStream(certificate)));
        Merlin merlin = new Merlin();
        merlin.setKeyStore(keys);
        this.crypto = merlin;
        this.password = password;
    }

    public static void main(String[] arguments) throws Exception {
        WSSConfig.init();
        Peer peer = new Peer(arguments[0], arguments[1], arguments[2]);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String answer;
            try {
                answer = "ok " + peer.handle(line.split(" "));
            } catch (Exception error) {
                answer = "error " + error.toString().replace('\n', ' ');
            }
            System.out.println(answer);
            System.out.flush();
        }
    }

    private String handle(String[] words) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setNamespaceAware(true);
        byte[] message = Base64.getDecoder().decode(words[words.length - 1]);
        Document document = factory.newDocumentBuilder().parse(new ByteArrayInputStream(message));
        String actions = "";
        if (words[0].equals("verify")) {
            actions = verify(document);
        } else {
            WSSecHeader header = new WSSecHeader();
            header.insertSecurityHeader(document);
            if (words[0].equals("sign")) {
                sign(document, header, words[1], words[2]);
            } else if (words[0].equals("encrypt")) {
                encrypt(document, header, words[1], words[2], words.length > 4);
            } else if (words[0].equals("user")) {
                user(document, header, words[1]);
            } else {
                symmetric(document, header, words[0], words[1], words[2], words[3]);
            }
        }
        Transformer transformer = TransformerFactory.newInstance().newTransformer();
        transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
        StringWriter text = new StringWriter();
        transformer.transform(new DOMSource(document), new StreamResult(text));
        return Base64.getEncoder().encodeToString(text.toString().getBytes("UTF-8")) + actions;
    }

    /** Verify a message, and remember its shared key. */
    private String verify(Document document) throws Exception {
        WSSConfig config = WSSConfig.getNewInstance();
        WSSecurityEngine engine = new WSSecurityEngine();
        engine.setWssConfig(config);
        StringBuilder actions = new StringBuilder();
        for (WSSecurityEngineResult result :
                engine.processSecurityHeader(document, null, this::answer, crypto, crypto)) {
            int action = (Integer) result.get(WSSecurityEngineResult.TAG_ACTION);
            byte[] key = (byte[]) result.get(WSSecurityEngineResult.TAG_ENCRYPTED_EPHEMERAL_KEY);
            if (key != null) {
                secret = (byte[]) result.get(WSSecurityEngineResult.TAG_SECRET);
                secretName = Base64.getEncoder().encodeToString(
                    java.security.MessageDigest.getInstance("SHA-1").digest(key));
            }
            actions.append(" ").append(action);
        }
        return actions.toString();
    }

    /** Give the password of the key and of the user, and the secret of a shared key. */
    private void answer(Callback[] callbacks) {
        for (Callback item : callbacks) {
            WSPasswordCallback callback = (WSPasswordCallback) item;
            if (secretName.equals(callback.getIdentifier())) {
                callback.setKey(secret);
            } else {
                callback.setPassword(password);
            }
        }
    }

    private static List<WSEncryptionPart> parts(String... names) {
        List<WSEncryptionPart> parts = new ArrayList<>();
        for (String name : names) {
            String namespace = name.equals("Timestamp") ? WSConstants.WSU_NS : SOAP;
            parts.add(name.equals("STRTransform") ? new WSEncryptionPart("STRTransform", "", "Content")
                : new WSEncryptionPart(name, namespace, "Content"));
        }
        return parts;
    }

    private void sign(Document document, WSSecHeader header, String token, String algorithm) throws Exception {
        timestamp(document, header);
        WSSecSignature signature = new WSSecSignature();
        signature.setUserInfo("server", password);
        signature.setKeyIdentifierType(token.equals("ski") ? WSConstants.SKI_KEY_IDENTIFIER
            : token.equals("thumbprint") ? WSConstants.THUMBPRINT_IDENTIFIER
            : token.equals("embedded") ? WSConstants.X509_KEY_IDENTIFIER
            : token.equals("issuer-serial") ? WSConstants.ISSUER_SERIAL : WSConstants.BST_DIRECT_REFERENCE);
        signature.setSignatureAlgorithm(algorithm);
        signature.setDigestAlgo(algorithm.contains("sha1") ? WSConstants.SHA1 : WSConstants.SHA256);
        signature.setParts(token.equals("str-transform") ? parts("Body", "Timestamp", "STRTransform")
            : parts("Body", "Timestamp"));
        signature.build(document, crypto, header);
    }

    private void encrypt(Document document, WSSecHeader header, String cipher, String transport,
            boolean withHeader) throws Exception {
        WSSecEncrypt encryption = new WSSecEncrypt();
        encryption.setUserInfo("client");
        encryption.setSymmetricEncAlgorithm(cipher);
        encryption.setKeyEnc(transport);
        encryption.setKeyIdentifierType(WSConstants.ISSUER_SERIAL);
        List<WSEncryptionPart> parts = parts("Body");
        if (withHeader) {
            parts.add(new WSEncryptionPart("Who", "urn:example:who", "Header"));
        }
        encryption.setParts(parts);
        encryption.build(document, crypto, header);
    }

    private void user(Document document, WSSecHeader header, String type) throws Exception {
        WSSecUsernameToken token = new WSSecUsernameToken();
        token.setPasswordType(type.equals("digest") ? WSConstants.PASSWORD_DIGEST : WSConstants.PASSWORD_TEXT);
        token.setUserInfo("me", password);
        token.addNonce();
        token.addCreated();
        token.build(document, header);
    }

    private void timestamp(Document document, WSSecHeader header) throws Exception {
        WSSecTimestamp timestamp = new WSSecTimestamp();
        timestamp.setTimeToLive(300);
        timestamp.build(document, header);
    }

    /** Secure a request ("request"), or the response to the request that was verified last ("response"). */
    private void symmetric(Document document, WSSecHeader header, String kind, String version, String hmac,
            String cipher) throws Exception {
        timestamp(document, header);
        WSSecEncryptedKey key = new WSSecEncryptedKey();
        boolean isRequest = kind.equals("request");
        if (isRequest) {
            key.setUserInfo("client");
            key.setKeyIdentifierType(WSConstants.THUMBPRINT_IDENTIFIER);
            key.prepare(document, crypto);
            secret = key.getEphemeralKey();
            secretName = Base64.getEncoder().encodeToString(
                java.security.MessageDigest.getInstance("SHA-1").digest(key.getEncryptedEphemeralKey()));
        }
        if (version.equals("none")) {
            WSSecSignature signature = new WSSecSignature();
            signature.setSignatureAlgorithm(hmac);
            signature.setDigestAlgo(hmac.contains("sha1") ? WSConstants.SHA1 : WSConstants.SHA256);
            signature.setSecretKey(secret);
            if (isRequest) {
                signature.setKeyIdentifierType(WSConstants.CUSTOM_SYMM_SIGNING);
                signature.setCustomTokenId(key.getId());
                signature.setCustomTokenValueType(MESSAGE_SECURITY11 + "EncryptedKey");
            } else {
                signature.setKeyIdentifierType(WSConstants.ENCRYPTED_KEY_SHA1_IDENTIFIER);
                signature.setEncrKeySha1value(secretName);
            }
            signature.setParts(parts("Body", "Timestamp"));
            signature.build(document, crypto, header);
        } else {
            WSSecDKSign signature = new WSSecDKSign();
            prepare(document, signature, key, isRequest, version);
            signature.setSignatureAlgorithm(hmac);
            signature.setDigestAlgorithm(hmac.contains("sha1") ? WSConstants.SHA1 : WSConstants.SHA256);
            signature.setParts(parts("Body", "Timestamp"));
            signature.build(document, header);
            WSSecDKEncrypt encryption = new WSSecDKEncrypt();
            prepare(document, encryption, key, isRequest, version);
            encryption.setSymmetricEncAlgorithm(cipher);
            encryption.setParts(parts("Body"));
            encryption.build(document, header);
        }
        if (isRequest) {
            key.prependToHeader(header);
        }
    }

    private void prepare(Document document, WSSecDerivedKeyBase step, WSSecEncryptedKey key, boolean isRequest,
            String version) throws Exception {
        if (isRequest) {
            step.setExternalKey(secret, key.getId());
            step.setCustomValueType(MESSAGE_SECURITY11 + "EncryptedKey");
        } else {
            SecurityTokenReference reference = new SecurityTokenReference(document);
            reference.setKeyIdentifierEncKeySHA1(secretName);
            reference.addTokenType(MESSAGE_SECURITY11 + "EncryptedKey");
            step.setExternalKey(secret, reference.getElement());
        }
        step.setWscVersion(version.equals("2005-12") ? ConversationConstants.VERSION_05_12
            : ConversationConstants.VERSION_05_02);
    }
}
