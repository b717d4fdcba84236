import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.net.URL;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.concurrent.Executors;
import javax.jws.WebMethod;
import javax.jws.WebParam;
import javax.jws.WebResult;
import javax.jws.WebService;
import javax.xml.namespace.QName;
import javax.xml.ws.BindingType;
import javax.xml.ws.Endpoint;
import javax.xml.ws.RequestWrapper;
import javax.xml.ws.ResponseWrapper;
import javax.xml.ws.Service;
import javax.xml.ws.soap.MTOM;
import javax.xml.ws.soap.MTOMFeature;
import javax.xml.ws.soap.SOAPBinding;

/** A service and a client of Metro that send files with MTOM, over SOAP 1.1 and 1.2. */
public class Files {
    @WebService(targetNamespace = "urn:example:files")
    public interface Port {
        @WebMethod
        @RequestWrapper(className = "Files$Store")
        @ResponseWrapper(className = "Files$StoreResponse")
        @WebResult(name = "hash")
        byte[] store(@WebParam(name = "content") byte[] content);

        @WebMethod
        @RequestWrapper(className = "Files$Load")
        @ResponseWrapper(className = "Files$LoadResponse")
        @WebResult(name = "content")
        byte[] load(@WebParam(name = "size") int size);
    }

    public static class Store { public byte[] content; }
    public static class StoreResponse { public byte[] hash; }
    public static class Load { public int size; }
    public static class LoadResponse { public byte[] content; }

    @MTOM(threshold = 100)
    @WebService(serviceName = "Files", portName = "Port", targetNamespace = "urn:example:files",
                endpointInterface = "Files$Port")
    public static class Server11 implements Port {
        public byte[] store(byte[] content) { return hash(content); }
        public byte[] load(int size) { return content(size); }
    }

    @MTOM(threshold = 100)
    @BindingType(SOAPBinding.SOAP12HTTP_BINDING)
    @WebService(serviceName = "Files", portName = "Port", targetNamespace = "urn:example:files",
                endpointInterface = "Files$Port")
    public static class Server12 extends Server11 { }

    static byte[] hash(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }

    static byte[] content(int size) {
        byte[] content = new byte[size];
        for (int i = 0; i < size; i++) content[i] = (byte) (i * 7);
        return content;
    }

    static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte value : bytes) text.append(String.format("%02x", value));
        return text.toString();
    }

    /** Without arguments, serve until the input ends. With a WSDL and a size, call the service. */
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
            server.setExecutor(Executors.newCachedThreadPool());
            Endpoint.create(new Server11()).publish(server.createContext("/11"));
            Endpoint.create(new Server12()).publish(server.createContext("/12"));
            server.start();
            System.out.println("http://127.0.0.1:" + server.getAddress().getPort());
            System.in.read();
        } else {
            Service service = Service.create(new URL(args[0]), new QName("urn:example:files", "Files"));
            Port files = service.getPort(Port.class, new MTOMFeature(100));
            int size = Integer.parseInt(args[1]);
            System.out.println(hex(hash(files.load(size))) + " " + hex(files.store(content(size))));
        }
        System.exit(0);
    }
}
