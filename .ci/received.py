"""Classes whose objects users receive, but never construct: their constructors are not public."""

RECEIVED = {
    "soapclient.testing": {"Mock", "Recording", "Rule"},
    "soapclient.tables": {"Rows"},
    "soapclient.tracking.advertiser": {"Advertiser"},
    "soapclient.tracking.async_client": {"AsyncAdvertiser", "AsyncData", "AsyncExport", "AsyncPublisher"},
    "soapclient.tracking.data": {"Data"},
    "soapclient.tracking.exports": {"Export", "ExportFile", "Orders"},
    "soapclient.tracking.publisher": {"Publisher"},
    "soapclient.tracking.sandbox": {"Job", "Jobs", "Serving"},
}
